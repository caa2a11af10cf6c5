import { Effect } from "effect"
import {
  PluginAnother,
  PluginArchiveRefused,
  PluginFileManifestInvalid,
  PluginFileManifestMalformed,
  PluginFileNotArchive,
  PluginFileWithoutManifest,
  PluginManifestInvalid,
  PluginNotExternal,
  PluginNotFound,
  PluginNotSupervised,
  PluginUnfetched
} from "../../src/domain/plugin/PluginRefusal.ts"
import { PluginConfigurationRefused, PluginNotConnected } from "../../src/domain/plugin/RunRefusal.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { InvalidRequest, UnsupportedMediaType } from "../../src/http/contract/RequestProblems.ts"
import { ok } from "../support/answers.ts"
import { bytesOf } from "../support/files.ts"
import { Cast, guest, nobody } from "../support/people.ts"
import { addExternal, connect, postExternal } from "../support/plugins.ts"
import type { Scenarios } from "../support/scenarios.ts"
import { honest, link, manifestEntry, zipOf } from "./archives/zip.ts"
import { least } from "./manifest.ts"
import { plugins, updatePackage, uploadPlugin } from "./support.ts"

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, odin } = yield* Cast
  const outside = yield* addExternal(odin)
  const inside = ok(yield* uploadPlugin(odin, honest()))
  const going = ok(yield* uploadPlugin(odin, honest()))
  const external = `${plugins}/${outside.id}`
  const supervised = `${plugins}/${inside.id}`
  const unknown = `${plugins}/${nobody}`
  const listening = yield* addExternal(odin)
  const program = yield* connect(listening.connection.token, {
    configure: (configuration) => ({ ok: Object.keys(configuration).length > 0 })
  })
  yield* program.call("get_config")
  const invalid = { mode: "external", manifest: { ...least, id: "no id" } }
  return [
    { operation: "PluginList", call: odin.get(plugins), expects: 200, statements: 2 },
    { operation: "PluginList", when: "by a member", call: freya.get(plugins), expects: Forbidden },
    { operation: "PluginList", when: "by a guest", call: guest.get(plugins), expects: Unauthenticated },
    { operation: "PluginAdd", when: "external", call: postExternal(odin), expects: 200, statements: 3 },
    {
      operation: "PluginAdd",
      when: "by upload",
      call: uploadPlugin(odin, honest()),
      expects: 200,
      statements: 5
    },
    {
      operation: "PluginAdd",
      when: "with a manifest that breaks rules",
      call: odin.post(plugins, invalid),
      expects: PluginManifestInvalid
    },
    {
      operation: "PluginAdd",
      when: "from nowhere",
      call: odin.post(plugins, { mode: "supervised", url: "https://nowhere.example/a.zip" }),
      expects: PluginUnfetched
    },
    {
      operation: "PluginAdd",
      when: "of an unknown mode",
      call: odin.post(plugins, { mode: "other" }),
      expects: InvalidRequest
    },
    {
      operation: "PluginAdd",
      when: "as text",
      call: odin.post(plugins, "{}", { "content-type": "text/plain" }),
      expects: UnsupportedMediaType
    },
    {
      operation: "PluginAdd",
      when: "of what is no archive",
      call: uploadPlugin(odin, bytesOf("text")),
      expects: PluginFileNotArchive
    },
    {
      operation: "PluginAdd",
      when: "without a manifest",
      call: uploadPlugin(odin, zipOf([])),
      expects: PluginFileWithoutManifest
    },
    {
      operation: "PluginAdd",
      when: "with half a manifest",
      call: uploadPlugin(odin, zipOf([{ name: "manifest.json", data: "{" }])),
      expects: PluginFileManifestMalformed
    },
    {
      operation: "PluginAdd",
      when: "with a manifest in it that breaks rules",
      call: uploadPlugin(odin, honest({ id: "no id" })),
      expects: PluginFileManifestInvalid
    },
    {
      operation: "PluginAdd",
      when: "with a link",
      call: uploadPlugin(odin, zipOf([manifestEntry, { name: "a", mode: link }])),
      expects: PluginArchiveRefused
    },
    { operation: "PluginGet", call: odin.get(external), expects: 200, statements: 2 },
    { operation: "PluginGet", when: "unknown", call: odin.get(unknown), expects: PluginNotFound },
    {
      operation: "PluginGet",
      when: "of what is no id",
      call: odin.get(`${plugins}/hello`),
      expects: PluginNotFound
    },
    {
      operation: "PluginSetActiveState",
      call: odin.patch(`${supervised}/active`, { active: "inactive" }),
      expects: 200,
      statements: 3
    },
    {
      operation: "PluginSetActiveState",
      when: "to what is no wish",
      call: odin.patch(`${supervised}/active`, { active: "error" }),
      expects: InvalidRequest
    },
    {
      operation: "PluginSetActiveState",
      when: "of an external one",
      call: odin.patch(`${external}/active`, { active: "active" }),
      expects: PluginNotSupervised
    },
    {
      operation: "PluginSetActiveState",
      when: "unknown",
      call: odin.patch(`${unknown}/active`, { active: "active" }),
      expects: PluginNotFound
    },
    { operation: "PluginGetLogs", call: odin.get(`${supervised}/logs`), expects: 200, statements: 2 },
    {
      operation: "PluginGetLogs",
      when: "of an external one",
      call: odin.get(`${external}/logs`),
      expects: PluginNotSupervised
    },
    {
      operation: "PluginGetLogs",
      when: "unknown",
      call: odin.get(`${unknown}/logs`),
      expects: PluginNotFound
    },
    {
      operation: "PluginUpdateConfiguration",
      call: odin.patch(`${plugins}/${listening.id}/configuration`, { greeting: "Hi" }),
      expects: 200,
      statements: 5
    },
    {
      operation: "PluginUpdateConfiguration",
      when: "that the plugin refuses",
      call: odin.patch(`${plugins}/${listening.id}/configuration`, {}),
      expects: PluginConfigurationRefused
    },
    {
      operation: "PluginUpdateConfiguration",
      when: "of one that is not connected",
      call: odin.patch(`${external}/configuration`, {}),
      expects: PluginNotConnected
    },
    {
      operation: "PluginUpdateConfiguration",
      when: "unknown",
      call: odin.patch(`${unknown}/configuration`, {}),
      expects: PluginNotFound
    },
    { operation: "PluginCycleToken", call: odin.post(`${external}/token`), expects: 200, statements: 4 },
    {
      operation: "PluginCycleToken",
      when: "of a supervised one",
      call: odin.post(`${supervised}/token`),
      expects: PluginNotExternal
    },
    {
      operation: "PluginCycleToken",
      when: "unknown",
      call: odin.post(`${unknown}/token`),
      expects: PluginNotFound
    },
    {
      operation: "PluginUpdateManifest",
      call: odin.patch(`${external}/manifest`, { ...least, id: "other" }),
      expects: 200,
      statements: 5
    },
    {
      operation: "PluginUpdateManifest",
      when: "by one that breaks rules",
      call: odin.patch(`${external}/manifest`, {}),
      expects: PluginManifestInvalid
    },
    {
      operation: "PluginUpdateManifest",
      when: "of a supervised one",
      call: odin.patch(`${supervised}/manifest`, least),
      expects: PluginNotExternal
    },
    {
      operation: "PluginUpdateManifest",
      when: "unknown",
      call: odin.patch(`${unknown}/manifest`, least),
      expects: PluginNotFound
    },
    {
      operation: "PluginDownloadPackage",
      call: odin.get(`${supervised}/package`),
      expects: 200,
      statements: 2
    },
    {
      operation: "PluginDownloadPackage",
      when: "of an external one",
      call: odin.get(`${external}/package`),
      expects: PluginNotSupervised
    },
    {
      operation: "PluginDownloadPackage",
      when: "unknown",
      call: odin.get(`${unknown}/package`),
      expects: PluginNotFound
    },
    {
      operation: "PluginUpdatePackage",
      call: updatePackage(odin, inside.id, honest({ version: "2" })),
      expects: 200,
      statements: 8
    },
    {
      operation: "PluginUpdatePackage",
      when: "by JSON",
      call: odin.patch(`${supervised}/package`, {}),
      expects: UnsupportedMediaType
    },
    {
      operation: "PluginUpdatePackage",
      when: "by another plugin",
      call: updatePackage(odin, inside.id, honest({ id: "other" })),
      expects: PluginAnother
    },
    {
      operation: "PluginUpdatePackage",
      when: "of an external one",
      call: updatePackage(odin, outside.id, honest()),
      expects: PluginNotSupervised
    },
    {
      operation: "PluginUpdatePackage",
      when: "unknown",
      call: updatePackage(odin, nobody, honest()),
      expects: PluginNotFound
    },
    {
      operation: "PluginUpdatePackage",
      when: "by what is no archive",
      call: updatePackage(odin, inside.id, bytesOf("text")),
      expects: PluginFileNotArchive
    },
    {
      operation: "PluginUpdatePackage",
      when: "without a manifest",
      call: updatePackage(odin, inside.id, zipOf([])),
      expects: PluginFileWithoutManifest
    },
    {
      operation: "PluginUpdatePackage",
      when: "with half a manifest",
      call: updatePackage(odin, inside.id, zipOf([{ name: "manifest.json", data: "{" }])),
      expects: PluginFileManifestMalformed
    },
    {
      operation: "PluginUpdatePackage",
      when: "with a manifest in it that breaks rules",
      call: updatePackage(odin, inside.id, honest({ name: "" })),
      expects: PluginFileManifestInvalid
    },
    {
      operation: "PluginUpdatePackage",
      when: "with a link",
      call: updatePackage(odin, inside.id, zipOf([manifestEntry, { name: "a", mode: link }])),
      expects: PluginArchiveRefused
    },
    {
      operation: "PluginGetConfigurationSchema",
      call: odin.get(`${supervised}/configuration-schema`),
      expects: 200,
      statements: 2
    },
    {
      operation: "PluginGetConfigurationSchema",
      when: "unknown",
      call: odin.get(`${unknown}/configuration-schema`),
      expects: PluginNotFound
    },
    {
      operation: "PluginGetConfiguration",
      call: odin.get(`${supervised}/configuration`),
      expects: 200,
      statements: 2
    },
    {
      operation: "PluginGetConfiguration",
      when: "unknown",
      call: odin.get(`${unknown}/configuration`),
      expects: PluginNotFound
    },
    { operation: "PluginDelete", call: odin.delete(`${plugins}/${going.id}`), expects: 204, statements: 6 },
    { operation: "PluginDelete", when: "unknown", call: odin.delete(unknown), expects: PluginNotFound }
  ]
})
