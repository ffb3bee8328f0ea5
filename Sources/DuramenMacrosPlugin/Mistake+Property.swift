import SwiftDiagnostics

/// Mistakes in one property of a managed class.
extension Mistake {
    static func constant(_ name: String) -> Mistake {
        Mistake(
            "constant", "stored property '\(name)' of a managed class or composite must be a 'var'")
    }

    static func transientWithoutValue(_ name: String) -> Mistake {
        Mistake(
            "transientWithoutValue",
            "transient attribute '\(name)' must be optional or have an initial value")
    }

    static func transientInStore(_ name: String) -> Mistake {
        Mistake(
            "transientInStore",
            "transient attribute '\(name)' cannot be unique or indexed; no store keeps it")
    }

    static func transientRule(_ name: String) -> Mistake {
        Mistake(
            "transientRule",
            "transient attribute '\(name)' cannot have rules over its values; no save checks them")
    }

    static func derivedWithoutValue(_ name: String) -> Mistake {
        Mistake(
            "derivedWithoutValue",
            "derived attribute '\(name)' must be optional or have an initial value, which a new object has until it is "
                + "saved")
    }

    static func derivedOption(_ name: String) -> Mistake {
        Mistake(
            "derivedOption",
            "derived attribute '\(name)' is one stored value that stores compute; it can be neither transient, a "
                + "composite, encoded nor in a file of its own")
    }

    static func modifier(_ modifier: String, _ name: String) -> Mistake {
        Mistake(
            "modifier",
            "stored property '\(name)' of a managed class or composite cannot be '\(modifier)'; "
                + "its storage belongs to the context")
    }

    static func overriding(_ name: String) -> Mistake {
        Mistake(
            "overriding",
            "stored property '\(name)' cannot override a property of another managed class; "
                + "the sub-entity inherits it")
    }

    static func observers(_ name: String) -> Mistake {
        Mistake(
            "observers",
            "stored property '\(name)' of a managed class or composite cannot have observers; "
                + "observe changes through the context")
    }

    static func tuplePattern() -> Mistake {
        Mistake(
            "tuplePattern",
            "a managed class or composite cannot declare properties by a tuple pattern; "
                + "declare each property on its own")
    }

    static func severalBindings() -> Mistake {
        Mistake(
            "severalBindings",
            "a managed class or composite declares each property by its own 'var'")
    }

    static func missingType(_ name: String) -> Mistake {
        Mistake(
            "missingType",
            "stored property '\(name)' of a managed class or composite needs a type annotation; "
                + "macros do not see inferred types")
    }

    static func implicitlyUnwrapped(_ name: String) -> Mistake {
        Mistake(
            "implicitlyUnwrapped",
            "stored property '\(name)' of a managed class or composite cannot be implicitly unwrapped; use '?'"
        )
    }

    static func reservedName(_ name: String) -> Mistake {
        Mistake(
            "reservedName",
            "'\(name)' is a member of 'ManagedObject'; choose another name for the property")
    }

    static func bothMarkers(_ name: String) -> Mistake {
        Mistake(
            "bothMarkers",
            "'\(name)' cannot be both '@Attribute' and '@Relationship'")
    }

    static func repeatedMarker(_ marker: String, _ name: String) -> Mistake {
        Mistake("repeatedMarker", "'\(name)' is marked '@\(marker)' twice; use one marker")
    }

    static func fixedDefault(_ name: String) -> Mistake {
        Mistake(
            "fixedDefault",
            "the initial value of '\(name)' is evaluated once, for the model, and is the same for "
                + "every new object; set it when an object is made instead",
            severity: .warning)
    }

    static func collectionAttribute(_ name: String, _ type: String) -> Mistake {
        Mistake(
            "collectionAttribute",
            "attribute '\(name)' cannot be of type '\(type)', because an attribute holds one value. Mark it "
                + "'@Attribute(.codable(\"\(name)\"))' to store it as JSON; for objects use "
                + "'@Relationship' and 'ToMany'")
    }

    static func unknownOption(_ option: String, of macro: String, known: [String]) -> Mistake {
        let list = known.map { "'\($0)'" }.joined(separator: ", ")
        return Mistake(
            "unknownOption", "'\(option)' is not an option of '@\(macro)'; it knows \(list)")
    }
}
