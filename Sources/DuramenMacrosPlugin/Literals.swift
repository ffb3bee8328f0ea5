import SwiftParser
import SwiftSyntax

/// Values that a macro can read from an expression without a type checker.
extension ExprSyntax {
    /// The text of a string literal without interpolation.
    var stringLiteral: String? {
        self.as(StringLiteralExprSyntax.self)?.representedLiteralValue
    }

    var booleanLiteral: Bool? {
        self.as(BooleanLiteralExprSyntax.self).map { $0.literal.tokenKind == .keyword(.true) }
    }

    /// The value of an integer without a sign.
    var integerLiteral: Int? {
        self.as(IntegerLiteralExprSyntax.self)?.representedLiteralValue
    }

    var isNilLiteral: Bool { self.is(NilLiteralExprSyntax.self) }

    /// The elements of a literal of string lists: `[["a", "b"], ["c"]]`.
    var nameListsLiteral: [[NameLiteral]]? {
        guard let outer = self.as(ArrayExprSyntax.self) else { return nil }
        var lists: [[NameLiteral]] = []
        for element in outer.elements {
            guard let inner = element.expression.as(ArrayExprSyntax.self) else { return nil }
            var names: [NameLiteral] = []
            for name in inner.elements {
                guard let text = name.expression.stringLiteral else { return nil }
                names.append(NameLiteral(text: text, node: name.expression))
            }
            lists.append(names)
        }
        return lists
    }

    /// A dictionary literal, as written.
    var dictionaryLiteral: String? {
        self.as(DictionaryExprSyntax.self)?.trimmedDescription
    }

    /// The member's name in `.member` and `Type.member`.
    var memberName: String? {
        self.as(MemberAccessExprSyntax.self)?.declName.baseName.text
    }
}

/// A name in a literal, with its position for diagnostics.
struct NameLiteral {
    let text: String
    let node: ExprSyntax
}

/// Returns text as a Swift string literal.
func quoted(_ text: String) -> String {
    var literal = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": literal += "\\\""
        case "\\": literal += "\\\\"
        case _ where scalar.value < 0x20 || scalar.value == 0x7F:
            literal += "\\u{\(String(scalar.value, radix: 16))}"
        default: literal.unicodeScalars.append(scalar)
        }
    }
    return literal + "\""
}
