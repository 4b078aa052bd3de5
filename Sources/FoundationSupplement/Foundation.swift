/// The one place that re-exports Foundation, so that `import CoreData` brings it along as it does on Apple's systems.
@_exported import Foundation
