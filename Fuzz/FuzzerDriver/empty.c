// SwiftPM wants a source file.
