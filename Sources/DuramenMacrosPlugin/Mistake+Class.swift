/// Mistakes in the class with `@Managed`, and in the arguments of `@Managed`.
extension Mistake {
    static func notAClass(_ kind: String) -> Mistake {
        Mistake(
            "notAClass",
            "'@Managed' applies to a class declaration, not to \(kind); "
                + "declare a class that inherits from 'ManagedObject'")
    }

    static func noSuperclass(_ name: String) -> Mistake {
        Mistake(
            "noSuperclass",
            "'\(name)' must inherit from 'ManagedObject' or another managed class")
    }

    static func genericClass(_ name: String) -> Mistake {
        Mistake(
            "genericClass",
            "managed class '\(name)' cannot be generic, nor nested in a generic type; "
                + "an entity is one concrete class")
    }

    static func localClass(_ name: String) -> Mistake {
        Mistake(
            "localClass",
            "managed class '\(name)' cannot be declared inside a function; "
                + "move it to file scope or into a type")
    }

    static func sendable(_ name: String) -> Mistake {
        Mistake(
            "sendable",
            "managed class '\(name)' cannot be 'Sendable'; managed objects are confined to their "
                + "context, send a 'ManagedObjectID' instead")
    }

    static func isolated(_ name: String) -> Mistake {
        Mistake(
            "isolated",
            "managed class '\(name)' cannot be isolated to the main actor; its objects belong to their "
                + "context, whose owner may be any actor. Make it 'nonisolated'")
    }

    static func conditionalProperty(_ name: String) -> Mistake {
        Mistake(
            "conditionalProperty",
            "stored property '\(name)' cannot stand inside '#if'; "
                + "a model is the same under every compilation condition")
    }

    /// Returns the mistake of an unknown argument.
    ///
    /// - Parameters:
    ///   - label: The label of the argument.
    ///   - macro: The name of the macro.
    ///   - known: The labels of all arguments.
    ///   - options: The names of options that are written without a value, such as `.unique`.
    static func unknownArgument(
        _ label: String, of macro: String, known: [String], options: [String] = []
    ) -> Mistake {
        let remedy =
            if options.contains(label) {
                "Write '.\(label)'"
            } else if label == "renamingIdentifier" || label == "previousName" {
                "Write '\(macro == "Managed" ? "renamedFrom" : "originalName"):'"
            } else {
                "Its arguments are \(known.map { "'\($0):'" }.joined(separator: ", "))"
            }
        return Mistake("unknownArgument", "'@\(macro)' has no argument '\(label)'. \(remedy)")
    }

    static func needsLiteral(_ label: String, _ kind: String) -> Mistake {
        Mistake(
            "needsLiteral", "'\(label)' must be \(kind); the macro reads it while compiling")
    }

    static func unknownProperty(_ name: String, in label: String, of entity: String) -> Mistake {
        Mistake(
            "unknownProperty",
            "'\(name)' in '\(label)' is not an attribute or to-one relationship of '\(entity)'")
    }
}
