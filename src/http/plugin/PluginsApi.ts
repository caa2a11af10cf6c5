import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AssetBytesUnavailable } from "../../domain/asset/Asset.ts"
import { StorageFull } from "../../domain/asset/DiskSpace.ts"
import * as Text from "../../domain/field/Text.ts"
import { archiveMax } from "../../domain/plugin/ArchiveLimit.ts"
import {
  NewPluginProps,
  Plugin,
  PluginConfiguration,
  PluginConfigurationSchema,
  PluginListResult,
  PluginToken,
  SentManifest
} from "../../domain/plugin/Plugin.ts"
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
  PluginPackageMissing,
  PluginUnfetched,
  pluginsMax,
  TooManyPlugins
} from "../../domain/plugin/PluginRefusal.ts"
import { PluginNotSettled, PluginStartFailed } from "../../domain/plugin/RunRefusal.ts"
import { membersWith } from "../contract/AccessPolicies.ts"
import { Deleted } from "../contract/Empty.ts"
import { operation } from "../contract/Operation.ts"
import { PluginOperation } from "../contract/PluginOperation.ts"

const zip = "application/zip"

export const params = { plugin_instance_id: Text.mark({ description: "The `id` of the plugin" }) }

export const access = membersWith("ADMINISTRATOR")

const archiveProblems = [
  PluginFileNotArchive,
  PluginFileWithoutManifest,
  PluginFileManifestMalformed,
  PluginFileManifestInvalid,
  PluginArchiveRefused,
  AssetBytesUnavailable,
  StorageFull
] as const

const Archive = HttpApiSchema.WithHeaders(HttpApiSchema.StreamUint8Array({ contentType: zip }), {
  "content-disposition": Schema.String.annotate({
    title: "Content-Disposition",
    description: "To be saved under the `id` in the manifest, with `.zip`"
  })
})

export class PluginsApi extends HttpApiGroup.make("plugins")
  .add(
    HttpApiEndpoint.get("list", "/", { success: PluginListResult }).pipe(
      operation({
        id: "PluginList",
        cost: "long",
        summary: "List all plugins",
        description: `Newest first; an instance has at most ${pluginsMax} supervised ones and as many external ones. Where their manifests are large, those of older ones have only what a manifest needs; \`manifest_omitted\` names what is missing, and reading the plugin by its id shows all.`,
        access
      })
    ),
    HttpApiEndpoint.post("add", "/", {
      payload: [HttpApiSchema.StreamUint8Array({ contentType: zip }), NewPluginProps],
      success: Plugin,
      error: [...archiveProblems, PluginManifestInvalid, PluginUnfetched, TooManyPlugins]
    }).pipe(
      operation({
        id: "PluginAdd",
        cost: "upload",
        maxBody: archiveMax,
        summary: "Add a plugin",
        description:
          "Either the archive of a supervised plugin itself, or JSON: where the archive of a supervised plugin is fetched from, or the manifest of an external one. All of an archive is looked at before anything of it is stored. Nothing is started; an external plugin may connect from then on. Several plugins may have one manifest.",
        access
      })
    ),
    HttpApiEndpoint.get("get", "/:plugin_instance_id", {
      params,
      success: Plugin,
      error: PluginNotFound
    }).pipe(
      operation({
        id: "PluginGet",
        cost: "quick",
        summary: "Get a plugin",
        description: "With what has become of it, and the token of an external one.",
        access
      })
    ),
    HttpApiEndpoint.delete("delete", "/:plugin_instance_id", {
      params,
      success: Deleted,
      error: PluginNotFound
    }).pipe(
      operation({
        id: "PluginDelete",
        cost: "write",
        commitsEarly: true,
        summary: "Delete a plugin",
        description:
          "It is stopped, or its connection ended, and its archive removed. The bot that it acted as stays, with its role and what it wrote; the access keys of the bot are revoked.",
        access
      })
    ),
    HttpApiEndpoint.post("cycleToken", "/:plugin_instance_id/token", {
      params,
      success: PluginToken,
      error: [PluginNotFound, PluginNotExternal]
    }).pipe(
      operation({
        id: "PluginCycleToken",
        cost: "write",
        summary: "Replace the token of an external plugin",
        description: "The old one works no more, and the plugin has to connect again.",
        access
      })
    ),
    HttpApiEndpoint.patch("updateManifest", "/:plugin_instance_id/manifest", {
      params,
      payload: SentManifest,
      success: Plugin,
      error: [PluginNotFound, PluginNotExternal, PluginManifestInvalid]
    }).pipe(
      operation({
        id: "PluginUpdateManifest",
        cost: "write",
        summary: "Replace the manifest of an external plugin",
        description:
          "All of it; its `id` may be another one. The token stays. The plugin has to connect again, and then gets the events that the new manifest names.",
        access
      })
    ),
    HttpApiEndpoint.get("downloadPackage", "/:plugin_instance_id/package", {
      params,
      success: Archive,
      error: [PluginNotFound, PluginNotSupervised, PluginPackageMissing, AssetBytesUnavailable]
    }).pipe(
      operation({
        id: "PluginDownloadPackage",
        cost: "quick",
        summary: "Download the archive of a supervised plugin",
        description: "Byte for byte as it was uploaded or fetched.",
        access
      })
    ),
    HttpApiEndpoint.patch("updatePackage", "/:plugin_instance_id/package", {
      params,
      payload: HttpApiSchema.StreamUint8Array({ contentType: zip }),
      success: Plugin,
      error: [
        ...archiveProblems,
        PluginNotFound,
        PluginNotSupervised,
        PluginAnother,
        PluginStartFailed,
        PluginNotSettled
      ]
    }).pipe(
      operation({
        id: "PluginUpdatePackage",
        cost: "upload",
        maxBody: archiveMax,
        summary: "Replace the archive of a supervised plugin",
        description:
          "By another archive of the same plugin, as the `id` in its manifest says. A plugin that runs is started again with it, which is waited for; one that does not run stays so. Its configuration stays.",
        access
      })
    ),
    HttpApiEndpoint.get("getConfigurationSchema", "/:plugin_instance_id/configuration-schema", {
      params,
      success: PluginConfigurationSchema,
      error: PluginNotFound
    }).pipe(
      operation({
        id: "PluginGetConfigurationSchema",
        cost: "quick",
        summary: "Get what administrators choose for a plugin",
        description: "As its manifest says; no fields if it says nothing.",
        access
      })
    ),
    HttpApiEndpoint.get("getConfiguration", "/:plugin_instance_id/configuration", {
      params,
      success: PluginConfiguration,
      error: PluginNotFound
    }).pipe(
      operation({
        id: "PluginGetConfiguration",
        cost: "quick",
        summary: "Get what administrators have chosen for a plugin",
        description:
          "An empty object until they have chosen something. It does not contain the values that fields have by default.",
        access
      })
    )
  )
  .middleware(PluginOperation)
  .prefix("/plugins")
  .annotateMerge(
    OpenApi.annotations({
      title: "plugins",
      description: "Programs that extend the service"
    })
  ) {}
