import Testing
@testable import StartingData
