/// Objects on which a predicate may call methods: `FUNCTION($manager, "sourceFor:", name)`, `SELF isLike: %@`.
///
/// On Apple's systems the Objective-C runtime finds the method. Linux has none: the object finds it.
public protocol FunctionExpressionTarget: AnyObject {
    /// The result of a method.
    ///
    /// - Parameters:
    ///   - selectorName: The name as Objective-C has it, with a colon for each argument.
    ///   - arguments: The values of the arguments.
    /// - Throws: Anything, when there is no such method or it fails; the evaluation fails with it.
    func callFunction(_ selectorName: String, arguments: [Any?]) throws -> Any?
}
