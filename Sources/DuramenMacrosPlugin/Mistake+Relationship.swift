/// Mistakes in relationships, and in the places of the markers.
extension Mistake {
    static func toManyAttribute(_ name: String) -> Mistake {
        Mistake(
            "toManyAttribute", "'\(name)' is a to-many relationship; mark it '@Relationship'")
    }

    static func notOptional(_ name: String, _ type: String) -> Mistake {
        Mistake(
            "notOptional",
            "to-one relationship '\(name)' must be optional ('\(type)?'); "
                + "use '.required' to demand a value when saving")
    }

    static func notARelationship(_ name: String, _ type: String) -> Mistake {
        Mistake(
            "notARelationship",
            "'\(type)' is not a managed class, so '\(name)' cannot be a relationship; "
                + "use 'X?' or 'ToMany<X>'")
    }

    static func collection(_ name: String, _ type: String) -> Mistake {
        Mistake(
            "collection",
            "relationship '\(name)' cannot be of type '\(type)'; "
                + "a to-many relationship is a 'ToMany'")
    }

    static func optionalToMany(_ name: String) -> Mistake {
        Mistake(
            "optionalToMany",
            "to-many relationship '\(name)' cannot be optional; without objects it is empty")
    }

    static func requiredToMany(_ name: String) -> Mistake {
        Mistake(
            "requiredToMany",
            "'.required' is for to-one relationships; to-many '\(name)' says 'minimumCount: 1'")
    }

    static func countedToOne(_ name: String) -> Mistake {
        Mistake(
            "countedToOne",
            "counts are for to-many relationships; '\(name)' has one object at most")
    }

    static func valuesOfToOne(_ name: String) -> Mistake {
        Mistake(
            "valuesOfToOne",
            "'values' is for to-many relationships; to-one '\(name)' is always part of the values")
    }

    static func relationshipDefault(_ name: String) -> Mistake {
        Mistake("relationshipDefault", "relationship '\(name)' cannot have an initial value")
    }

    static func inverseNotKeyPath() -> Mistake {
        Mistake(
            "inverseNotKeyPath",
            "'inverse' must be a key path literal with one step, such as '\\Other.property'")
    }

    static func unknownDeleteRule() -> Mistake {
        Mistake(
            "unknownDeleteRule",
            "'deleteRule' must be '.nullify', '.cascade', '.deny' or '.noAction'")
    }

    static func markerOnOther(_ marker: String) -> Mistake {
        Mistake("markerOnOther", "'@\(marker)' applies to a stored property")
    }

    static func markerOnStatic(_ marker: String, _ name: String) -> Mistake {
        Mistake(
            "markerOnStatic",
            "'@\(marker)' cannot be applied to '\(name)'; a static property is not part of the entity"
        )
    }

    static func markerOnComputed(_ marker: String, _ name: String) -> Mistake {
        Mistake(
            "markerOnComputed",
            "'@\(marker)' cannot be applied to '\(name)'; a computed property is not stored")
    }

    static func markerOutside(_ marker: String) -> Mistake {
        Mistake(
            "markerOutside",
            "'@\(marker)' can only be used inside a class marked '@Managed'")
    }
}
