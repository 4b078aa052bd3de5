/// Writes the text of a predicate or an expression, in Apple's form.
///
/// A node gives its text as pieces, of which some are other nodes; what is still to be written is kept in an array. So
/// no tree is too high, and the text of each node is written once and not copied from level to level.
struct FormatTextWriter {
    enum Piece {
        case text(String)
        case predicate(NSPredicate)
        /// A part of a compound predicate.
        case part(NSPredicate)
        case expression(NSExpression)
        /// An operand of an operator.
        case operand(NSExpression)
        /// What a key or an index follows.
        case base(NSExpression, Follower)
    }

    enum Follower {
        case key, index
    }

    private var text = ""
    /// What is to be written, the next one last.
    private var pending: [Piece]

    /// The text of a predicate or an expression.
    static func text(of piece: Piece) -> String {
        var writer = FormatTextWriter(pending: [piece])
        while let next = writer.pending.popLast() { writer.write(next) }
        return writer.text
    }

    private init(pending: [Piece]) {
        self.pending = pending
    }

    private mutating func write(_ piece: Piece) {
        switch piece {
        case .text(let text): self.text += text
        case .predicate(let predicate): push(predicate.textPieces)
        case .part(let predicate):
            push(predicate.isCompoundPart ? parentheses(.predicate(predicate)) : predicate.textPieces)
        case .expression(let expression): push(expression.textPieces)
        case .operand(let expression):
            push(expression.isOperator ? parentheses(.expression(expression)) : expression.textPieces)
        case .base(let expression, let follower):
            push(
                expression.needsParentheses(before: follower)
                    ? parentheses(.expression(expression)) : expression.textPieces)
        }
    }

    private mutating func push(_ pieces: [Piece]) { pending.append(contentsOf: pieces.reversed()) }

    private func parentheses(_ piece: Piece) -> [Piece] { [.text("("), piece, .text(")")] }

    /// Pieces with a text between each two.
    static func joined(_ pieces: [Piece], by separator: String) -> [Piece] {
        var result: [Piece] = []
        for piece in pieces {
            if !result.isEmpty { result.append(.text(separator)) }
            result.append(piece)
        }
        return result
    }

    /// A list of arguments or elements.
    static func list(_ expressions: [NSExpression]) -> [Piece] {
        joined(expressions.map { .expression($0) }, by: ", ")
    }
}
