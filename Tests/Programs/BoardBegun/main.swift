import Duramen
import DuramenMacros
import DuramenMemory

@Managed
final class Train: ManagedObject {
    @Attribute(.unique) var number: String
    var destination: String
    var time: String
    var platform: Int = 1
    var hasLeft: Bool = false
}

let container = try await PersistentContainer(
    model: ManagedObjectModel(Train.self), stores: [.memory()])
let context = container.viewContext

/// Inserts a train.
func add(
    _ number: String, to destination: String, at time: String, from platform: Int,
    in context: ManagedObjectContext
) {
    let train = Train(context: context)
    train.number = number
    train.destination = destination
    train.time = time
    train.platform = platform
}

add("IC 12", to: "Zürich", at: "10:12", from: 1, in: context)
add("RE 7", to: "Bern", at: "10:05", from: 1, in: context)
add("S 3", to: "Olten", at: "10:20", from: 2, in: context)
try context.save()

/// Finds a train by its number.
func train(_ number: String, in context: ManagedObjectContext) throws -> Train? {
    try context.fetch(FetchRequest<Train>().where { $0.number == number }).first
}

let board = try FetchedResults(
    FetchRequest<Train>().where { $0.hasLeft == false }.sorted(by: \.time), in: context)

/// Prints the list as it is now.
@MainActor
func show() {
    guard let trains = board.objects else { return }
    for train in trains {
        print(train.time, train.number, train.destination)
    }
}

show()

try await container.performBackgroundTask { context in
    try train("RE 7", in: context)?.hasLeft = true
    try train("IC 12", in: context)?.time = "10:31"
    try context.save()
}
print("Later:")
show()
