/// A property of scalars, by name.
struct UnicodeProperty: Sendable {
    let holds: @Sendable (Unicode.Scalar) -> Bool

    init(_ holds: @escaping @Sendable (Unicode.Scalar) -> Bool) { self.holds = holds }

    /// Finds a property by its short or long Unicode name, ignoring case, spaces, `_` and `-`.
    init?(named name: String) {
        var key = name.lowercased().filter { !" _-".contains($0) }
        for prefix in ["generalcategory=", "gc="] where key.hasPrefix(prefix) {
            guard let property = Self.category(String(key.dropFirst(prefix.count))) else {
                return nil
            }
            self = property
            return
        }
        // As in Java, which ICU follows.
        if Self.named[key] == nil, Self.category(key) == nil, key.hasPrefix("is") {
            key.removeFirst(2)
        }
        guard let property = Self.named[key] ?? Self.category(key) else { return nil }
        self = property
    }

    /// The property extended to all scalars that differ only in case from one that has it.
    var caseless: UnicodeProperty {
        UnicodeProperty { [holds] scalar in
            holds(scalar)
                || ScalarRelation.caseVariants.images(of: scalar.value...scalar.value)
                    .contains { Unicode.Scalar($0).map(holds) ?? false }
        }
    }

    // MARK: - Escapes

    /// `\d`.
    static let digit = UnicodeProperty { $0.properties.generalCategory == .decimalNumber }
    /// `\w`.
    static let word = UnicodeProperty { $0.isWord }
    /// `\s`. ICU (regexst.cpp): white space; ICU's guide omits U+000B and U+0085.
    static let space = UnicodeProperty { $0.properties.isWhitespace }
    /// `\h`.
    static let blank = UnicodeProperty {
        $0 == "\t" || $0.properties.generalCategory == .spaceSeparator
    }

    // MARK: - Names

    /// Returns a general category, or a group of categories with one initial letter.
    private static func category(_ key: String) -> UnicodeProperty? {
        let short = groups[key] ?? key
        let wanted = short == "lc" ? ["lu", "ll", "lt"] : [short]
        let found = categories.filter { names, _ in
            wanted.contains { $0 == names.0 || $0 == names.1 || $0 == names.0.prefix(1) }
        }.map(\.1)
        if found.isEmpty { return nil }
        return UnicodeProperty { found.contains($0.properties.generalCategory) }
    }

    private static let groups = [
        "letter": "l", "casedletter": "lc", "mark": "m", "combiningmark": "m", "number": "n",
        "punctuation": "p", "punct": "p", "symbol": "s", "separator": "z", "other": "c",
        "cntrl": "cc", "digit": "nd",
    ]

    private static let categories: [((String, String), Unicode.GeneralCategory)] = [
        (("lu", "uppercaseletter"), .uppercaseLetter),
        (("ll", "lowercaseletter"), .lowercaseLetter),
        (("lt", "titlecaseletter"), .titlecaseLetter), (("lm", "modifierletter"), .modifierLetter),
        (("lo", "otherletter"), .otherLetter), (("mn", "nonspacingmark"), .nonspacingMark),
        (("mc", "spacingmark"), .spacingMark), (("me", "enclosingmark"), .enclosingMark),
        (("nd", "decimalnumber"), .decimalNumber), (("nl", "letternumber"), .letterNumber),
        (("no", "othernumber"), .otherNumber),
        (("pc", "connectorpunctuation"), .connectorPunctuation),
        (("pd", "dashpunctuation"), .dashPunctuation),
        (("ps", "openpunctuation"), .openPunctuation),
        (("pe", "closepunctuation"), .closePunctuation),
        (("pi", "initialpunctuation"), .initialPunctuation),
        (("pf", "finalpunctuation"), .finalPunctuation),
        (("po", "otherpunctuation"), .otherPunctuation), (("sm", "mathsymbol"), .mathSymbol),
        (("sc", "currencysymbol"), .currencySymbol), (("sk", "modifiersymbol"), .modifierSymbol),
        (("so", "othersymbol"), .otherSymbol), (("zs", "spaceseparator"), .spaceSeparator),
        (("zl", "lineseparator"), .lineSeparator),
        (("zp", "paragraphseparator"), .paragraphSeparator), (("cc", "control"), .control),
        (("cf", "format"), .format), (("cs", "surrogate"), .surrogate),
        (("co", "privateuse"), .privateUse), (("cn", "unassigned"), .unassigned),
    ]

    private static let named: [String: UnicodeProperty] = {
        var named: [String: UnicodeProperty] = [:]
        for (names, holds) in binary {
            for name in names.split(separator: " ") {
                named[String(name)] = UnicodeProperty { holds($0.properties) }
            }
        }
        named["any"] = UnicodeProperty { _ in true }
        named["all"] = named["any"]
        named["ascii"] = UnicodeProperty { $0.isASCII }
        named["assigned"] = UnicodeProperty { $0.properties.generalCategory != .unassigned }
        named["word"] = word
        // UTS #18, annex C, as in ICU.
        named["blank"] = blank
        named["alnum"] = UnicodeProperty { $0.properties.isAlphabetic || digit.holds($0) }
        named["xdigit"] = UnicodeProperty { $0.properties.isHexDigit || digit.holds($0) }
        named["graph"] = UnicodeProperty { isGraphic($0.properties) }
        named["print"] = UnicodeProperty {
            isGraphic($0.properties) || $0.properties.generalCategory == .spaceSeparator
        }
        return named
    }()

    private static func isGraphic(_ properties: Unicode.Scalar.Properties) -> Bool {
        switch properties.generalCategory {
        case .control, .surrogate, .unassigned: false
        default: !properties.isWhitespace
        }
    }

    private static let binary: [(String, @Sendable (Unicode.Scalar.Properties) -> Bool)] = [
        ("alphabetic alpha", { $0.isAlphabetic }), ("asciihexdigit ahex", { $0.isASCIIHexDigit }),
        ("bidicontrol bidic", { $0.isBidiControl }), ("bidimirrored bidim", { $0.isBidiMirrored }),
        ("cased", { $0.isCased }), ("caseignorable ci", { $0.isCaseIgnorable }),
        ("changeswhencasefolded cwcf", { $0.changesWhenCaseFolded }),
        ("changeswhencasemapped cwcm", { $0.changesWhenCaseMapped }),
        ("changeswhenlowercased cwl", { $0.changesWhenLowercased }),
        ("changeswhentitlecased cwt", { $0.changesWhenTitlecased }),
        ("changeswhenuppercased cwu", { $0.changesWhenUppercased }), ("dash", { $0.isDash }),
        ("defaultignorablecodepoint di", { $0.isDefaultIgnorableCodePoint }),
        ("deprecated dep", { $0.isDeprecated }), ("diacritic dia", { $0.isDiacritic }),
        ("emoji", { $0.isEmoji }), ("emojimodifier emod", { $0.isEmojiModifier }),
        ("emojimodifierbase ebase", { $0.isEmojiModifierBase }),
        ("emojipresentation epres", { $0.isEmojiPresentation }),
        ("extender ext", { $0.isExtender }),
        ("fullcompositionexclusion compex", { $0.isFullCompositionExclusion }),
        ("graphemebase grbase", { $0.isGraphemeBase }),
        ("graphemeextend grext", { $0.isGraphemeExtend }), ("hexdigit hex", { $0.isHexDigit }),
        ("idcontinue idc", { $0.isIDContinue }), ("idstart ids", { $0.isIDStart }),
        ("ideographic ideo", { $0.isIdeographic }),
        ("idsbinaryoperator idsb", { $0.isIDSBinaryOperator }),
        ("idstrinaryoperator idst", { $0.isIDSTrinaryOperator }),
        ("joincontrol joinc", { $0.isJoinControl }),
        ("logicalorderexception loe", { $0.isLogicalOrderException }),
        ("lowercase lower", { $0.isLowercase }), ("math", { $0.isMath }),
        ("noncharactercodepoint nchar", { $0.isNoncharacterCodePoint }),
        ("patternsyntax patsyn", { $0.isPatternSyntax }),
        ("patternwhitespace patws", { $0.isPatternWhitespace }),
        ("quotationmark qmark", { $0.isQuotationMark }), ("radical", { $0.isRadical }),
        ("sentenceterminal sterm", { $0.isSentenceTerminal }),
        ("softdotted sd", { $0.isSoftDotted }),
        ("terminalpunctuation term", { $0.isTerminalPunctuation }),
        ("unifiedideograph uideo", { $0.isUnifiedIdeograph }),
        ("uppercase upper", { $0.isUppercase }),
        ("variationselector vs", { $0.isVariationSelector }),
        ("whitespace wspace space", { $0.isWhitespace }),
        ("xidcontinue xidc", { $0.isXIDContinue }), ("xidstart xids", { $0.isXIDStart }),
    ]
}
