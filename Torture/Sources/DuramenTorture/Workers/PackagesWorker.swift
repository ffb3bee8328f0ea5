import Duramen

/// Digests one store of packages after the other, named by lines on its input.
///
/// Answers `digest LISTED DIGEST MICROSECONDS`: packages that are more than a name, a digest over
/// all values and relationships that does not depend on how the store came about, and what opening
/// took. Or `refused CODE`, or `wrong TEXT`.
struct PackagesWorker {
    let arguments: WorkerArguments

    func run() throws {
        let model = try PackageModel.make()
        while let folder = readLine() {
            do {
                Output.say(try digest(folder, model))
            } catch {
                Output.say(TypedError.answer(error, "refused"))
            }
        }
    }

    private func digest(_ folder: String, _ model: ManagedObjectModel) throws -> String {
        let start = ContinuousClock.now
        let container = try PersistentContainer.open(
            model: model, stores: [arguments.description(in: folder)])
        let microseconds = Int(start.duration(to: .now) / .microseconds(1))
        defer { try? container.close() }
        let found = try container.newBackgroundContext().performAndWait { try Self.digest($0) }
        if let complaint = try arguments.kind.engineComplaint(arguments.kind.path(in: folder)) {
            throw Unsound("the engine: \(complaint)")
        }
        return "digest \(found.listed) \(found.digest.value) \(microseconds)"
    }

    private static func digest(
        _ context: ManagedObjectContext
    ) throws -> (listed: Int, digest: Digest) {
        var digest = Digest()
        var listed = 0
        for (entity, key) in [("Maintainer", "contact"), ("Section", "name")] {
            for object in try context.fetch(.all(entity).sorted(by: key)) {
                digest.add(try object.text(key) ?? "")
                digest.add(try object.text("name") ?? "")
                digest.add("\(try object.objects("packages").count)")
            }
        }
        for package in try context.fetch(.all("Package").sorted(by: "identifier")) {
            for key in ["identifier", "version", "architecture", "synopsis", "homepage"] {
                digest.add(try package.text(key) ?? "-")
            }
            let state = try package.value(forKey: "state") as? Int16 ?? -1
            if state > 0 { listed += 1 }
            digest.add("\(state)")
            digest.add("\(try package.value(forKey: "installedSizeKiB") as? Int64 ?? -1)")
            digest.add(try package.object("section")?.text("name") ?? "-")
            digest.add(try package.object("maintainer")?.text("contact") ?? "-")
            for key in [
                "dependencies", "dependents", "alternatives", "alternativeDependents", "provides",
                "providers",
            ] {
                let names = try package.objects(key).map { try $0.text("identifier") ?? "" }
                digest.add(names.sorted().joined(separator: " "))
            }
        }
        return (listed, digest)
    }
}

/// A digest of texts in their order (FNV-1a, 64 bits): enough to tell contents apart that nobody
/// forges.
struct Digest {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ text: String) {
        // What no text has ends each.
        for byte in Array(text.utf8) + [0xFF] {
            value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
        }
    }
}
