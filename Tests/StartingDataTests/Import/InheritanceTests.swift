import CoreData
import Testing

@testable import StartingData

private func zoo() throws -> ImportCase {
    try ImportCase(
        entity(
            "Animal", attribute("name"), attribute("weight", "Double"), toOne("keeper", "Keeper", inverse: "animals"),
            toOne("friend", "Animal", inverse: nil), isAbstract: true),
        entity("Bird", attribute("span", "Double"), attribute("code"), parent: "Animal"),
        entity("Cat", attribute("lives", "Integer 16"), attribute("code"), parent: "Animal"),
        entity("Lion", attribute("mane", "Boolean"), parent: "Cat"),
        entity(
            "Keeper", attribute("name"), toMany("animals", "Animal", inverse: "keeper"),
            toOne("favorite", "Animal", inverse: nil)))
}

@Suite("Inheritance")
struct InheritanceTests {
    static let files: KeyValuePairs<String, String> = [
        "Keeper.csv": "name,favorite.name\nAnn,Leo\nBob,Tweety\nCat,Tom\nDan,\n",
        "Lion.csv": "name,mane,keeper.name,friend.name\nLeo,yes,Ann,Tom\n",
        "Cat.csv": "name,lives,code,friend.name\nTom,9,c,Tweety\n", "Bird.csv": "name,span,code\nTweety,0.5,b\n",
    ]

    @Test("references to an abstract entity find rows of its sub-entities, and the entity's column has theirs")
    func references() throws {
        for files in [Array(Self.files), Array(Self.files).reversed()] {
            let zoo = try zoo()
            try zoo.run(files.map { try zoo.folder.write($0.value, to: $0.key) })
            let numbers = try zoo.query("SELECT Z_NAME, Z_ENT, Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT")
            #expect(numbers == ["Animal|1|0", "Bird|2|1", "Cat|3|1", "Lion|4|3", "Keeper|5|0"])
            #expect(
                try zoo.query(
                    "SELECT k.ZNAME, a.ZNAME, k.Z1_FAVORITE FROM ZKEEPER k LEFT JOIN ZANIMAL a ON a.Z_PK = k.ZFAVORITE ORDER BY 1"
                )
                    == ["Ann|Leo|4", "Bob|Tweety|2", "Cat|Tom|3", "Dan|-|-"])
            #expect(
                try zoo.query(
                    "SELECT a.ZNAME, f.ZNAME, a.Z1_FRIEND FROM ZANIMAL a LEFT JOIN ZANIMAL f ON f.Z_PK = a.ZFRIEND ORDER BY 1"
                )
                    == ["Leo|Tom|3", "Tom|Tweety|2", "Tweety|-|-"])
            #expect(
                try zoo.query("SELECT Z_ENT, ZNAME, Z_OPT FROM ZANIMAL ORDER BY 1") == [
                    "2|Tweety|1", "3|Tom|1", "4|Leo|1",
                ])
            #expect(
                try zoo.query("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY WHERE Z_MAX > 0") == ["Animal|3", "Keeper|4"])
            try zoo.expectOneSoundFile()
        }
    }

    @Test("attributes of one name in two sub-entities have columns of their own")
    func sameName() throws {
        let zoo = try zoo()
        try zoo.run(Self.files)
        #expect(
            try zoo.query("SELECT ZNAME, ZCODE, ZCODE1 FROM ZANIMAL ORDER BY 1") == [
                "Leo|-|-", "Tom|-|c", "Tweety|b|-",
            ])
        let context = try zoo.context()
        try context.performAndWait {
            let animals = try zoo.objects("Animal", by: "name", in: context)
            #expect(animals.map { $0.entity.name ?? "" } == ["Lion", "Cat", "Bird"])
            #expect(animals[1].value(forKey: "code") as? String == "c")
            let keeper = try #require(try zoo.objects("Keeper", by: "name", in: context).first)
            #expect((keeper.value(forKey: "favorite") as? NSManagedObject)?.entity.name == "Lion")
        }
    }

    @Test("rows of an abstract entity are refused")
    func abstract() throws {
        #expect(
            try zoo().complaint(["Animal.csv": "name\nX\n"])
                == "Animal.csv: 'Animal' is an abstract entity: it has no rows of its own")
    }
}
