import DuramenModel
import Foundation

/// Places boxes in columns, so that connected boxes are near each other.
///
/// Each group of connected entities is walked breadth-first from the entity with the most lines,
/// and fills its columns in that order. Within columns, boxes move towards the boxes that they are
/// connected with. The layout of a model is always equal.
struct DiagramLayout {
    private static let columnGap = 110.0
    private static let rowGap = 28.0
    private static let margin = 40.0
    /// The top of the boxes, below the diagram's title.
    private static let top = 90.0
    /// The ratio of a group's width to its height.
    private static let aspect = 1.5

    private(set) var boxes: [DiagramBox]
    private(set) var width = 0.0
    private(set) var height = 0.0
    private let neighbours: [[Int]]

    init(_ boxes: [DiagramBox], _ edges: [DiagramEdge]) {
        self.boxes = boxes
        var neighbours = [[Int]](repeating: [], count: boxes.count)
        for edge in edges where edge.start.box != edge.end.box {
            neighbours[edge.start.box].append(edge.end.box)
            neighbours[edge.end.box].append(edge.start.box)
        }
        self.neighbours = neighbours
        place()
    }

    /// Puts the groups on shelves as wide as the first group. Groups of one box go on the last
    /// shelf.
    private mutating func place() {
        let groups = self.groups
        let lonely = groups.filter { $0.count == 1 }.flatMap(\.self)
        var x = Self.margin
        var y = Self.top
        var shelfBottom = Self.top
        var shelfWidth = 0.0
        for group in groups.filter({ $0.count > 1 }) + (lonely.isEmpty ? [] : [lonely]) {
            var end = place(group, fromX: x, y: y)
            if x > Self.margin, end.right > shelfWidth {
                (x, y) = (Self.margin, shelfBottom + 2 * Self.rowGap)
                end = place(group, fromX: x, y: y)
            }
            x = end.right + Self.columnGap
            shelfBottom = max(shelfBottom, end.bottom)
            shelfWidth = max(shelfWidth, end.right)
        }
        width = (boxes.map(\.right).max() ?? 400) + Self.margin
        height = (boxes.map { $0.y + $0.height }.max() ?? y) + Self.margin
    }

    /// The connected groups, the largest first, each walked breadth-first.
    private var groups: [[Int]] {
        let order = boxes.indices.sorted { a, b in
            neighbours[a].count != neighbours[b].count
                ? neighbours[a].count > neighbours[b].count : a < b
        }
        var seen: Set<Int> = []
        var groups: [[Int]] = []
        for start in order where seen.insert(start).inserted {
            var group = [start]
            var next = 0
            while next < group.count {
                // Boxes with fewer lines stay nearer to their neighbours.
                let others = Set(neighbours[group[next]]).filter { !seen.contains($0) }
                for other in others.sorted(by: {
                    (neighbours[$0].count, $0) < (neighbours[$1].count, $1)
                }) {
                    seen.insert(other)
                    group.append(other)
                }
                next += 1
            }
            groups.append(group)
        }
        return groups.enumerated().sorted { a, b in
            a.element.count != b.element.count
                ? a.element.count > b.element.count : a.offset < b.offset
        }.map(\.element)
    }

    /// Fills columns with a group.
    ///
    /// - Returns: The right and bottom ends of the group.
    private mutating func place(
        _ group: [Int], fromX left: Double, y top: Double
    ) -> (right: Double, bottom: Double) {
        let total = group.reduce(0) { $0 + boxes[$1].height + Self.rowGap }
        let widest = group.map { boxes[$0].width }.max() ?? 0
        let tallest = group.map { boxes[$0].height }.max() ?? 0
        let columnHeight = max(
            tallest, ((total * (widest + Self.columnGap)) / Self.aspect).squareRoot())
        var columns: [[Int]] = [[]]
        var used = 0.0
        for box in group {
            if used > 0, used + boxes[box].height > columnHeight {
                columns.append([])
                used = 0
            }
            columns[columns.count - 1].append(box)
            used += boxes[box].height + Self.rowGap
        }
        var x = left
        for (number, column) in columns.enumerated() {
            for box in column {
                boxes[box].x = x
                boxes[box].column = number
            }
            x += (column.map { boxes[$0].width }.max() ?? 0) + Self.columnGap
        }
        for column in columns.indices { stack(columns[column], from: top) }
        for _ in 0..<4 {
            for column in columns.indices {
                columns[column].sort { (middle($0), $0) < (middle($1), $1) }
                stack(columns[column], from: top)
            }
        }
        return (
            group.map { boxes[$0].right }.max() ?? left,
            group.map { boxes[$0].y + boxes[$0].height }.max() ?? top
        )
    }

    private mutating func stack(_ column: [Int], from top: Double) {
        var y = top
        for box in column {
            boxes[box].y = y
            y += boxes[box].height + Self.rowGap
        }
    }

    /// Returns the average height of the boxes that a box is connected with.
    private func middle(_ box: Int) -> Double {
        let others = neighbours[box]
        if others.isEmpty { return boxes[box].y }
        let sum = others.reduce(0) { $0 + boxes[$1].y + boxes[$1].height / 2 }
        return sum / Double(others.count)
    }
}
