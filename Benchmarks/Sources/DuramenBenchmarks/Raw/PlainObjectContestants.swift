import CMeasure

/// The contestants without a store: objects in memory, and the empty loop.
@MainActor
enum PlainObjectContestants {
    /// Finds objects in a dictionary and reads every field, or the magnitude only.
    static func lookup(
        _ dataset: Dataset, _ identifiers: [Int64], everyField: Bool
    ) -> Contestant {
        let objects = objects(dataset)
        let map = Dictionary(uniqueKeysWithValues: objects.map { ($0.id, $0) })
        return Contestant(.memory) {
            var checksum = Checksum()
            for identifier in identifiers {
                guard let quake = map[identifier] else { continue }
                if everyField {
                    checksum.add(quake)
                } else {
                    checksum.add(magnitude: quake.magnitude)
                }
            }
            return Outcome(checksum.value)
        }
    }

    /// Follows a reference from every object.
    static func region(_ dataset: Dataset) -> Contestant {
        let objects = objects(dataset)
        return Contestant(.memory) {
            for quake in objects { keep(quake.region) }
            return Outcome(objects.count)
        }
    }

    /// Walks over the objects without following anything. Each is counted while it is looked at, as
    /// in every walk that calls a function with it.
    static func emptyWalk(_ dataset: Dataset) -> Contestant {
        let objects = objects(dataset)
        return Contestant(.empty) {
            for quake in objects { look(at: quake) }
            return Outcome(objects.count)
        }
    }

    /// Holds an object for every row in an array.
    static func held(_ dataset: Dataset) throws -> Contestant {
        let select = try dataset.connection.prepare(RawSchema.plain.selectQuakes)
        let regions = PlainRegion.all()
        return Contestant(.memory) {
            var objects: [PlainQuake] = []
            objects.reserveCapacity(dataset.rowCount)
            while try select.step() {
                let values = select.quake
                objects.append(PlainQuake(values, region: regions[Int(values.regionID) - 1]))
            }
            return Outcome(objects.count, holding: objects)
        }
    }

    /// Reads or writes a stored property of one object again and again.
    static func access(_ dataset: Dataset, _ access: PropertyAccess, _ times: Int) -> Contestant {
        let regions = PlainRegion.all()
        let quake = PlainQuake(dataset.quakes[0], region: regions[0])
        return Contestant(.memory) {
            // Once its address is known outside, the object's memory counts as changed each time.
            keep(quake)
            switch access {
            case .read:
                for _ in 0..<times { keep(quake.magnitude) }
            case .write:
                for turn in 0..<times {
                    quake.magnitude = Double(turn)
                    keep(turn)
                }
            }
            return Outcome(times)
        }
    }

    /// The loop alone, with the same value handed on.
    static func emptyLoop(_ access: PropertyAccess, _ times: Int) -> Contestant {
        Contestant(.empty) {
            for turn in 0..<times {
                switch access {
                case .read: keep(turn)
                case .write: keep(Double(turn))
                }
            }
            return Outcome(times)
        }
    }

    @inline(never)
    private static func look(at quake: PlainQuake) { keep(quake) }

    static func objects(_ dataset: Dataset) -> [PlainQuake] {
        let regions = PlainRegion.all()
        return dataset.quakes.map { PlainQuake($0, region: regions[Int($0.regionID) - 1]) }
    }
}

/// What row 14 does with a property.
enum PropertyAccess: String, Sendable {
    case read
    /// While the object has changes already, so that tracking has nothing more to note.
    case write
}

/// Keeps the optimiser from dropping what made a value; costs nothing itself.
@inline(__always)
func keep(_ value: Int) {
    measure_keep(Int64(value))
}

@inline(__always)
func keep(_ value: Double) {
    measure_keep(Int64(bitPattern: value.bitPattern))
}

@inline(__always)
func keep(_ object: AnyObject) {
    measure_keep(Int64(Int(bitPattern: Unmanaged.passUnretained(object).toOpaque())))
}
