/// Counts the attributes that composites stand for while a file is read.
final class CompositeExpansion {
    private var left = 20_000

    /// Takes off some attributes; false if there are none left.
    func spend(_ count: Int) -> Bool {
        left -= count
        return left >= 0
    }
}
