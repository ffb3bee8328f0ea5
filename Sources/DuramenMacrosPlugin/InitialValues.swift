import SwiftSyntax

/// Properties of an initial value that its spelling reveals.
extension ExprSyntax {
    /// The type that Swift infers for a plain literal.
    var literalTypeName: String? {
        if self.is(StringLiteralExprSyntax.self) { return "String" }
        if self.is(BooleanLiteralExprSyntax.self) { return "Bool" }
        if let signed = self.as(PrefixOperatorExprSyntax.self), signed.operator.text == "-" {
            return signed.expression.literalTypeName.flatMap {
                ["Int", "Double"].contains($0) ? $0 : nil
            }
        }
        if self.is(IntegerLiteralExprSyntax.self) { return "Int" }
        return self.is(FloatLiteralExprSyntax.self) ? "Double" : nil
    }

    /// Whether the value is a clock reading or a new identifier. The author certainly wants it for
    /// each object, but a model's default value is one constant.
    var differsPerEvaluation: Bool {
        ["Date()", "Date.now", "Date.init()", ".now", "UUID()", "UUID.init()"]
            .contains(trimmedDescription)
    }
}
