extension UndoManager {
    /// The name of a value that a program keeps with an action.
    ///
    /// ```swift
    /// extension UndoManager.UserInfoKey {
    ///     static let icon: UndoManager.UserInfoKey = "icon"
    /// }
    /// ```
    public struct UserInfoKey: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
        /// The name.
        public var rawValue: String

        /// A key from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A key from its name.
        public init(_ rawValue: String) { self.rawValue = rawValue }

        /// A key from its name.
        public init(stringLiteral value: String) { rawValue = value }
    }
}
