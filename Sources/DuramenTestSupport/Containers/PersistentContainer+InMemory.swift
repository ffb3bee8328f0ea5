public import Duramen
import DuramenMemory
import DuramenModel

extension PersistentContainer {
    /// Opens an empty container in memory for managed classes.
    ///
    /// ```swift
    /// let container = try PersistentContainer.inMemory(Book.self, Author.self)
    /// ```
    /// Each call has its own data, so tests can run in parallel. The same list of classes always
    /// has the same model.
    ///
    /// - Parameters:
    ///   - classes: The classes of the model, those of all destinations and superclasses included.
    ///   - defaultOptions: The settings of contexts that are created without their own.
    /// - Throws: ``ModelError`` with all mistakes of the classes, such as a destination that is not
    ///   in the list.
    /// - Complexity: O(*n*) in the number of properties. Nothing is written to disk.
    public static func inMemory(
        _ classes: ManagedObject.Type..., defaultOptions: ContextOptions = ContextOptions()
    ) throws -> PersistentContainer {
        try inMemory(
            model: KnownModels.model(of: classes), defaultOptions: defaultOptions)
    }

    /// Opens an empty container in memory for a model, such as one of a model file.
    ///
    /// - Parameters:
    ///   - model: The model. Several containers can share it.
    ///   - defaultOptions: The settings of contexts that are created without their own.
    /// - Throws: ``ModelError`` `.classMismatch` if a class and its entity differ.
    public static func inMemory(
        model: ManagedObjectModel, defaultOptions: ContextOptions = ContextOptions()
    ) throws -> PersistentContainer {
        try open(name: "tests", model: model, stores: [.memory()], defaultOptions: defaultOptions)
    }
}

/// The models of lists of classes. Equal models are still two, so each list has one.
private enum KnownModels {
    private static let models = Locked<[[ObjectIdentifier]: ManagedObjectModel]>([:])

    static func model(of classes: [ManagedObject.Type]) throws -> ManagedObjectModel {
        let key = classes.map { ObjectIdentifier($0) }
        if let known = models.withLock({ $0[key] }) { return known }
        let made = try ManagedObjectModel(classes: classes)
        return models.withLock { models in
            let model = models[key] ?? made
            models[key] = model
            return model
        }
    }
}
