import CoreData
import TestSupport

/// A folder with a model that says most of what a model can say, `Library.xcdatamodel`.
final class Library {
    let folder: TemporaryFolder
    let model: NSManagedObjectModel

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Self.text, to: "Library.xcdatamodel/contents")
        model = try NSManagedObjectModel(validatingContentsOf: folder.file("Library.xcdatamodel"))
    }

    /// Runs the tool in the folder.
    func run(_ arguments: String...) throws -> ToolRun { try runTool(arguments, in: folder.url) }

    private static let text = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="two">
            <entity name="Work" representedClassName="LibraryWork" isAbstract="YES" elementID="Opus">
                <attribute name="title" attributeType="String" minValueString="1" regularExpressionString="[A-Z].*"/>
                <relationship name="authors" optional="YES" toMany="YES" ordered="YES" deletionRule="Nullify" \
        destinationEntity="Author" inverseName="works" inverseEntity="Author"/>
                <uniquenessConstraints>
                    <uniquenessConstraint><constraint value="title"/></uniquenessConstraint>
                </uniquenessConstraints>
                <userInfo><entry key="colour" value="green"/></userInfo>
            </entity>
            <entity name="Book" parentEntity="Work" versionHashModifier="3">
                <attribute name="copyCount" optional="YES" attributeType="Integer 64" derived="YES" \
        derivationExpression="copies.@count"/>
                <attribute name="cover" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
                <attribute name="isLent" attributeType="Boolean" defaultValueString="YES"/>
                <attribute name="pages" optional="YES" attributeType="Integer 32" defaultValueString="100"/>
                <attribute name="place" optional="YES" attributeType="Composite" composite="Shelf"/>
                <attribute name="tags" optional="YES" attributeType="Transformable" \
        valueTransformerName="NSSecureUnarchiveFromData" customClassName="NSArray"/>
                <attribute name="year" optional="YES" transient="YES" attributeType="Date" defaultDateTimeInterval="0"/>
                <relationship name="copies" optional="YES" toMany="YES" deletionRule="Cascade" \
        destinationEntity="Copy" inverseName="book" inverseEntity="Book"/>
                <relationship name="sequel" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Book"/>
                <fetchedProperty name="others" optional="YES">
                    <fetchRequest name="fetchedPropertyFetchRequest" entity="Book" \
        predicateString="pages &gt; $FETCH_SOURCE.pages"/>
                </fetchedProperty>
                <fetchIndex name="byPages">
                    <fetchIndexElement property="pages" type="Binary" order="descending"/>
                </fetchIndex>
            </entity>
            <entity name="Author">
                <attribute name="name" attributeType="String"/>
                <relationship name="works" minCount="1" maxCount="9" toMany="YES" deletionRule="Deny" \
        destinationEntity="Work" inverseName="authors" inverseEntity="Work"/>
            </entity>
            <entity name="Copy">
                <attribute name="number" optional="YES" attributeType="Integer 16" defaultValueString="0" \
        elementID="serial"/>
                <relationship name="book" maxCount="1" deletionRule="No Action" destinationEntity="Book" \
        inverseName="copies" inverseEntity="Copy"/>
            </entity>
            <entity name="Note">
                <attribute name="text" optional="YES" attributeType="String"/>
            </entity>
            <composite name="Shelf">
                <attribute name="row" optional="YES" attributeType="Integer 16"/>
                <attribute name="side" optional="YES" attributeType="String"/>
            </composite>
            <configuration name="Private"><memberEntity name="Note"/></configuration>
            <configuration name="Public">
                <memberEntity name="Author"/><memberEntity name="Book"/><memberEntity name="Copy"/>
                <memberEntity name="Work"/>
            </configuration>
            <fetchRequest name="longBooks" entity="Book" predicateString="pages &gt; 500" fetchLimit="20"/>
        </model>
        """
}
