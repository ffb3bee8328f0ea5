/// The known elements of model files. Unknown parts are kept and reported.
struct ModelSchema {
    /// The kind of an attribute's value.
    enum Value {
        case text
        /// `YES` or `NO`.
        case flag
        /// An integer of 0 or more.
        case count
    }

    /// The known parts of one kind of element.
    struct Rule {
        /// The attributes that have a meaning for this library, or only for tools.
        let attributes: [String: Value]
        let children: Set<String>
        /// The attributes that an element must have.
        var required: [String] = []
    }

    static func rule(for name: String, in parent: String?) -> Rule? {
        // An attribute within a composite has the rule of all attributes.
        rules[name].flatMap { rule in
            parent.map { rules[$0]?.children.contains(name) == true } ?? (name == "model")
                ? rule : nil
        }
    }

    private static let rules: [String: Rule] = [
        "model": Rule(
            attributes: texts(
                "name", "userDefinedModelVersionIdentifier", "type", "documentVersion",
                "lastSavedToolsVersion", "systemVersion", "minimumToolsVersion", "macOSVersion",
                "iOSVersion", "tvOSVersion", "watchOSVersion", "visionOSVersion", "sourceLanguage",
                "usedWithCloudKit", "usedWithSwiftData"),
            children: ["entity", "fetchRequest", "configuration", "composite", "elements"]),
        "entity": Rule(
            attributes: texts(
                "name", "representedClassName", "parentEntity", "codeGenerationType", "elementID",
                "versionHashModifier", "coreSpotlightDisplayNameExpression"
            ).with(flags: "isAbstract", "syncable"),
            children: [
                "attribute", "relationship", "fetchedProperty", "fetchIndex",
                "uniquenessConstraints", "compoundIndexes", "userInfo",
            ], required: ["name"]),
        "attribute": Rule(
            attributes: texts(
                "name", "attributeType", "defaultValueString", "defaultDateTimeInterval",
                "minValueString", "maxValueString", "minDateTimeInterval", "maxDateTimeInterval",
                "regularExpressionString", "derivationExpression", "composite", "customClassName",
                "valueTransformerName", "versionHashModifier", "elementID"
            ).with(
                flags: "optional", "transient", "indexed", "derived", "syncable",
                "usesScalarValueType", "allowsExternalBinaryDataStorage", "preserveAfterDeletion",
                "storedInTruthFile", "spotlightIndexingEnabled", "allowsCloudEncryption"),
            children: ["userInfo"], required: ["name"]),
        "relationship": Rule(
            attributes: texts(
                "name", "destinationEntity", "inverseName", "inverseEntity", "deletionRule",
                "versionHashModifier", "elementID"
            ).with(
                flags: "optional", "transient", "toMany", "ordered", "indexed", "syncable",
                "storedInTruthFile", "spotlightIndexingEnabled"
            ).with(counts: "minCount", "maxCount"),
            children: ["userInfo"], required: ["name", "destinationEntity"]),
        "fetchedProperty": Rule(
            attributes: texts("name", "versionHashModifier", "elementID").with(
                flags: "optional", "transient", "syncable", "spotlightIndexingEnabled"),
            children: ["fetchRequest", "userInfo"], required: ["name"]),
        "fetchRequest": Rule(
            attributes: texts("name", "entity", "predicateString", "resultType").with(
                flags: "includeSubentities", "includePropertyValues", "includesPendingChanges",
                "returnObjectsAsFaults", "returnDistinctResults"
            ).with(counts: "fetchLimit", "fetchBatchSize"),
            children: [], required: ["name", "entity"]),
        "fetchIndex": Rule(
            attributes: texts("name", "partialIndexPredicate"), children: ["fetchIndexElement"],
            required: ["name"]),
        "fetchIndexElement": Rule(
            attributes: texts("property", "type", "order", "expression", "expressionType"),
            children: []),
        "uniquenessConstraints": Rule(attributes: [:], children: ["uniquenessConstraint"]),
        "uniquenessConstraint": Rule(attributes: [:], children: ["constraint"]),
        "constraint": Rule(attributes: texts("value"), children: [], required: ["value"]),
        "compoundIndexes": Rule(attributes: [:], children: ["compoundIndex"]),
        "compoundIndex": Rule(attributes: [:], children: ["index"]),
        "index": Rule(attributes: texts("value"), children: [], required: ["value"]),
        "userInfo": Rule(attributes: [:], children: ["entry"]),
        "entry": Rule(attributes: texts("key", "value"), children: [], required: ["key"]),
        "composite": Rule(
            attributes: texts("name", "elementID", "versionHashModifier"),
            children: ["attribute", "userInfo"], required: ["name"]),
        "configuration": Rule(
            attributes: texts("name", "usedWithCloudKit"), children: ["memberEntity"],
            required: ["name"]),
        "memberEntity": Rule(attributes: texts("name"), children: [], required: ["name"]),
        "elements": Rule(attributes: [:], children: ["element"]),
        "element": Rule(
            attributes: texts("name", "positionX", "positionY", "width", "height"), children: []),
    ]

    private static func texts(_ names: String...) -> [String: Value] {
        Dictionary(uniqueKeysWithValues: names.map { ($0, .text) })
    }
}

extension [String: ModelSchema.Value] {
    fileprivate func with(flags names: String...) -> Self {
        merging(names.map { ($0, .flag) }) { _, new in new }
    }

    fileprivate func with(counts names: String...) -> Self {
        merging(names.map { ($0, .count) }) { _, new in new }
    }
}
