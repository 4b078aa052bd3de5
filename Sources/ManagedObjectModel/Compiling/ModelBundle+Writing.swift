import FoundationSupplement

extension ModelBundle {
    /// What was written.
    package struct Written: Sendable {
        /// The versions, with the size of each one's file and the model's checksum.
        package let versions: [(version: Version, bytes: Int, checksum: String)]
        /// What the models say and this form can't, in words.
        package let omissions: [String]
    }

    /// Writes the bundle in the form that the extension names: all versions, or the current one alone.
    ///
    /// Everything is written beside its place first, and put there at the end; after an error the place is as it was.
    /// The same models always give the same bytes.
    ///
    /// - Throws: `ModelFileError` for a place that isn't free or whose extension is none of a model; errors of the
    ///   file system.
    @discardableResult
    package func write(to url: URL) throws -> Written {
        guard let form = ModelBundleForm(rawValue: url.pathExtension) else {
            throw ModelFileError(path: url.path, reason: "is not the name of a model (.momd, .mom, .xcdatamodeld …)")
        }
        let place = url.resolvingSymlinksInPath()
        try Self.requireReplaceable(place, form)
        let (written, files) = try contents(form)
        let folder = place.deletingLastPathComponent()
        let temporary = folder.appendingPathComponent(".\(place.lastPathComponent).\(UUID().uuidString)")
        do {
            try Self.write(files, to: temporary)
            try Self.move(temporary, to: place)
        } catch {
            // The first error counts; what is left of the temporary files may be gone already.
            try? FileManager.default.removeItem(at: temporary)
            throw error
        }
        return written
    }

    // MARK: Contents

    /// A file of a bundle, by its path; the empty path is the bundle itself.
    private typealias Files = [(path: [String], data: Data)]

    private func contents(_ form: ModelBundleForm) throws -> (Written, Files) {
        let isWhole = form == .xcodeBundle || form == .compiledBundle
        let chosen = isWhole ? versions : [current].compactMap(\.self)
        let texts = try parallelMap(count: chosen.count) { Text(chosen[$0].model, isSource: form.isSource) }
        var files: Files = zip(chosen, texts).map { version, text in
            switch form {
            case .xcodeBundle: (["\(version.name).xcdatamodel", "contents"], text.data)
            case .xcodeVersion: (["contents"], text.data)
            case .compiledBundle: (["\(version.name).mom"], text.data)
            case .compiledVersion: ([], text.data)
            }
        }
        if form == .compiledBundle {
            files.append((["VersionInfo.plist"], versionInfo(zip(chosen, texts).map { ($0.name, $1.hashes) })))
        }
        if form == .xcodeBundle, let currentName {
            files.append(([".xccurrentversion"], Self.pointer(to: currentName)))
        }
        let sizes = zip(chosen, texts).map {
            (version: $0, bytes: $1.data.count, checksum: VersionHash.checksum($1.hashes))
        }
        return (Written(versions: sizes, omissions: texts.flatMap(\.omissions)), files)
    }

    /// What is written of one version.
    private struct Text: Sendable {
        let data: Data
        let omissions: [String]
        let hashes: [String: Data]

        init(_ model: NSManagedObjectModel, isSource: Bool) {
            hashes = model.entityVersionHashesByName
            if isSource {
                let (text, omissions) = ModelXMLWriter.write(model)
                (data, self.omissions) = (Data(text.utf8), omissions)
            } else {
                (data, omissions) = (ModelArchiveWriter.archive(model, form: .compiled), [])
            }
        }
    }

    /// The names, hashes and checksums of all versions.
    private func versionInfo(_ hashes: [(String, [String: Data])]) -> Data {
        func dictionary(_ value: ([String: Data]) -> PropertyListValue) -> PropertyListValue {
            .dictionary(Dictionary(hashes.map { ($0.0, value($0.1)) }) { first, _ in first })
        }
        var fields = [
            "NSManagedObjectModel_VersionHashes": dictionary { .dictionary($0.mapValues { .data(Array($0)) }) },
            "NSManagedObjectModel_VersionChecksums": dictionary { .string(VersionHash.checksum($0)) },
        ]
        // As Xcode does, none for a bundle that doesn't name it.
        if let currentName { fields["NSManagedObjectModel_CurrentVersionName"] = .string(currentName) }
        return BinaryPropertyList.write(.dictionary(fields))
    }

    private static func pointer(to name: String) -> Data {
        let escaped = name.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
        return Data(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
            \t<key>_XCCurrentVersionName</key>
            \t<string>\(escaped).xcdatamodel</string>
            </dict>
            </plist>

            """.utf8)
    }

    // MARK: Places

    /// Makes sure that nothing is lost at a place but an older model of the same form.
    private static func requireReplaceable(_ place: URL, _ form: ModelBundleForm) throws {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: place.path, isDirectory: &isDirectory) else { return }
        guard isDirectory.boolValue != (form == .compiledVersion) else {
            throw ModelFileError(
                path: place.path, reason: "is a \(isDirectory.boolValue ? "folder" : "file"), and is not replaced")
        }
        guard isDirectory.boolValue else { return }
        let names = try FileManager.default.contentsOfDirectory(atPath: place.path)
        if let other = names.first(where: { !form.mayHold($0) }) {
            throw ModelFileError(
                path: place.path, reason: "holds '\(other)', which is no part of a model, and is not replaced")
        }
    }

    private static func write(_ files: Files, to url: URL) throws {
        for (path, data) in files {
            let file = path.reduce(url) { $0.appendingPathComponent($1) }
            if !path.isEmpty {
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            }
            try data.write(to: file)
        }
    }

    /// Puts what was written into its place. A file takes an older one's in one step; a folder can't, so the older one
    /// goes aside first, and back if the new one can't come. (Foundation's `replaceItemAt` loses files on Linux.)
    private static func move(_ temporary: URL, to place: URL) throws {
        if rename(temporary.path, place.path) == 0 { return }
        guard [EEXIST, ENOTEMPTY].contains(errno) else { throw fileError(place) }
        let older = temporary.appendingPathExtension("old")
        guard rename(place.path, older.path) == 0 else { throw fileError(place) }
        guard rename(temporary.path, place.path) == 0 else {
            let error = fileError(place)
            rename(older.path, place.path)
            throw error
        }
        try FileManager.default.removeItem(at: older)
    }

    private static func fileError(_ url: URL) -> CocoaError {
        let number = errno
        let codes: [Int32: CocoaError.Code] = [
            EACCES: .fileWriteNoPermission, EPERM: .fileWriteNoPermission, EROFS: .fileWriteVolumeReadOnly,
            ENOSPC: .fileWriteOutOfSpace,
        ]
        let reason = NSError(domain: NSPOSIXErrorDomain, code: Int(number))
        return CocoaError(
            codes[number] ?? .fileWriteUnknown, userInfo: [NSFilePathErrorKey: url.path, NSUnderlyingErrorKey: reason])
    }
}
