public import Foundation

/// Comparisons of text. All of them are false for null.
extension PredicateOperand where Value.Family == TextFamily {
    /// Returns this text with options for all its comparisons: `$0.name.comparing(.caseInsensitive)
    /// < "m"`.
    public func comparing(_ options: PredicateComparison.Options) -> QueryExpression<Value> {
        QueryExpression(fetchExpression, options: comparisonOptions.union(options))
    }

    /// Returns a predicate that is true if the texts are equal under the options.
    public func isEqual(
        to text: String, _ options: PredicateComparison.Options
    ) -> FetchPredicate { compared(.equal, text, options) }

    /// Returns a predicate that is true if the text contains another text.
    public func contains(
        _ text: String, _ options: PredicateComparison.Options = []
    ) -> FetchPredicate { compared(.contains, text, options) }

    /// Returns a predicate that is true if the text contains another text.
    public func contains<Other: PredicateOperand>(
        _ text: Other, _ options: PredicateComparison.Options = []
    ) -> FetchPredicate where Other.Value.Family == TextFamily {
        compared(.contains, text, options)
    }

    /// Returns a predicate that is true if the text begins with another text.
    public func beginsWith(
        _ text: String, _ options: PredicateComparison.Options = []
    ) -> FetchPredicate { compared(.beginsWith, text, options) }

    /// Returns a predicate that is true if the text begins with another text.
    public func beginsWith<Other: PredicateOperand>(
        _ text: Other, _ options: PredicateComparison.Options = []
    ) -> FetchPredicate where Other.Value.Family == TextFamily {
        compared(.beginsWith, text, options)
    }

    /// Returns a predicate that is true if the text ends with another text.
    public func endsWith(
        _ text: String, _ options: PredicateComparison.Options = []
    ) -> FetchPredicate { compared(.endsWith, text, options) }

    /// Returns a predicate that is true if the text ends with another text.
    public func endsWith<Other: PredicateOperand>(
        _ text: Other, _ options: PredicateComparison.Options = []
    ) -> FetchPredicate where Other.Value.Family == TextFamily {
        compared(.endsWith, text, options)
    }

    /// Returns a predicate that is true if the whole text matches a pattern; see
    /// ``PredicateComparison/Operator/like``.
    public func like(
        _ pattern: String, _ options: PredicateComparison.Options = []
    ) -> FetchPredicate { compared(.like, pattern, options) }

    /// Returns a predicate that is true if the whole text matches a pattern; see
    /// ``PredicateComparison/Operator/like``.
    public func like<Other: PredicateOperand>(
        _ pattern: Other, _ options: PredicateComparison.Options = []
    ) -> FetchPredicate where Other.Value.Family == TextFamily { compared(.like, pattern, options) }

    /// Returns a predicate that is true if the whole text matches a regular expression; see
    /// ``PredicateComparison/Operator/matches``.
    public func matches(
        _ regularExpression: String, _ options: PredicateComparison.Options = []
    ) -> FetchPredicate { compared(.matches, regularExpression, options) }

    /// Returns a predicate that is true if the whole text matches a regular expression; see
    /// ``PredicateComparison/Operator/matches``.
    public func matches<Other: PredicateOperand>(
        _ regularExpression: Other, _ options: PredicateComparison.Options = []
    ) -> FetchPredicate where Other.Value.Family == TextFamily {
        compared(.matches, regularExpression, options)
    }

    /// Returns a predicate that is true if the text equals one of the texts under the options.
    public func isIn(
        _ texts: some Sequence<String>, _ options: PredicateComparison.Options
    ) -> FetchPredicate { compared(.isIn, .list(texts.map(\.storedValue)), options) }
}

// MARK: - Functions

extension PredicateOperand where Value.Family == TextFamily {
    /// The text in upper case, independent of language: `uppercase:(x)`.
    public var uppercased: QueryExpression<String> { QueryExpression(.uppercase, fetchExpression) }

    /// The text in lower case, independent of language: `lowercase:(x)`.
    public var lowercased: QueryExpression<String> { QueryExpression(.lowercase, fetchExpression) }

    /// The text without case and diacritical marks, as ``TextFolding`` folds it: `canonical:(x)`.
    public var folded: QueryExpression<String> { QueryExpression(.canonical, fetchExpression) }

    /// The sort key of the text, whose bytes have the order of
    /// ``FetchSortDescriptor/Comparison/localizedStandard``: `localized:(x)`.
    public var localizedKey: QueryExpression<String> {
        QueryExpression(.localized, fetchExpression)
    }

    /// The number of Unicode scalars: `length:(x)`. Swift may count fewer characters.
    public var length: QueryExpression<Int> { QueryExpression(.length, fetchExpression) }
}

extension PredicateOperand where Value == Data {
    /// The number of bytes: `length:(x)`.
    public var length: QueryExpression<Int> { QueryExpression(.length, fetchExpression) }
}
