/** Why something is not done with plugins. */
import { Schema } from "effect"
import { Problem } from "../shared/Problem.ts"
import { archiveRefusals, archiveRefusalTexts } from "./ArchiveLimit.ts"

/** How many plugins of each mode an instance has. The database holds it, too. */
export const pluginsMax = 50

/** How many issues of a manifest an answer names. */
export const issuesMax = 50

export class PluginsDisabled extends Problem<PluginsDisabled>()("PluginsDisabled", {
  status: 403,
  title: "Plugins are not enabled on this instance",
  explanation: "The operator has switched plugins off with `PLUGIN_RUNTIME_PROVIDER`."
}) {}

export class TooManyPlugins extends Problem<TooManyPlugins>()("TooManyPlugins", {
  status: 409,
  title: "The instance has as many plugins as it may",
  explanation:
    "An instance has at most `maximum` supervised and as many external plugins. Delete one to add another.",
  metadata: { maximum: Schema.Int }
}) {}

export class PluginNotFound extends Problem<PluginNotFound>()("PluginNotFound", {
  status: 404,
  title: "There is no such plugin",
  explanation: "No plugin has this id.",
  metadata: { plugin_instance_id: Schema.String }
}) {}

export class PluginNotSupervised extends Problem<PluginNotSupervised>()("PluginNotSupervised", {
  status: 400,
  title: "The plugin is external",
  explanation:
    "What was asked for is done with plugins that the service runs itself. This one runs elsewhere.",
  metadata: { plugin_instance_id: Schema.String }
}) {}

export class PluginNotExternal extends Problem<PluginNotExternal>()("PluginNotExternal", {
  status: 400,
  title: "The plugin is supervised",
  explanation:
    "What was asked for is done with plugins that run elsewhere. The manifest of this one is in its archive, and each start of it gets a token of its own.",
  metadata: { plugin_instance_id: Schema.String }
}) {}

const issues = {
  issues: Schema.Array(
    Schema.Struct({
      field: Schema.String.annotate({ description: "Where, as `access.links.0.url`; empty for the whole" }),
      rule: Schema.String.annotate({ description: "The rule that is broken" })
    }).annotate({
      identifier: "PluginManifestIssue",
      description: "A rule that a manifest breaks, and where"
    })
  ),
  more: Schema.optionalKey(Schema.Int).annotateKey({
    description: "How many further issues there are; absent if there are none"
  })
}

export class PluginManifestInvalid extends Problem<PluginManifestInvalid>()("PluginManifestInvalid", {
  status: 400,
  title: "The manifest is not valid",
  explanation: `A manifest breaks rules. \`issues\` names each of them and where, ${issuesMax} at most.`,
  metadata: issues
}) {}

export class PluginArchiveRefused extends Problem<PluginArchiveRefused>()("PluginArchiveRefused", {
  status: 400,
  title: "The plugin file is invalid: the archive cannot be used",
  explanation: `A plugin comes as a zip archive of at most 50 MiB, 2,048 files and 200 MiB unpacked. \`reason\` says what is wrong with it, and \`file\` with which of its files: ${archiveRefusals
    .filter((reason) => reason !== "format" && reason !== "manifest-missing")
    .map((reason) => `\`${reason}\` if ${archiveRefusalTexts[reason]}`)
    .join(", ")}.`,
  metadata: { reason: Schema.Literals(archiveRefusals), file: Schema.optionalKey(Schema.String) }
}) {}

export class PluginFileNotArchive extends Problem<PluginFileNotArchive>()("PluginFileNotArchive", {
  status: 400,
  title: "The plugin file is invalid: it is not a zip archive",
  explanation: "A plugin comes as a zip archive. This is none, or a part of one."
}) {}

export class PluginFileWithoutManifest extends Problem<PluginFileWithoutManifest>()(
  "PluginFileWithoutManifest",
  {
    status: 400,
    title: "The plugin file is invalid: manifest.json not found",
    explanation: "The archive of a plugin contains a file `manifest.json`, in any directory."
  }
) {}

export class PluginFileManifestMalformed extends Problem<PluginFileManifestMalformed>()(
  "PluginFileManifestMalformed",
  {
    status: 400,
    title: "The plugin file is invalid: manifest.json is malformed",
    explanation: "The file `manifest.json` in the archive of a plugin is JSON in UTF-8."
  }
) {}

export class PluginFileManifestInvalid extends Problem<PluginFileManifestInvalid>()(
  "PluginFileManifestInvalid",
  {
    status: 400,
    title: "The plugin file is invalid: manifest.json breaks rules",
    explanation: `\`issues\` names each rule that the manifest breaks and where, ${issuesMax} at most.`,
    metadata: issues
  }
) {}

export class PluginAnother extends Problem<PluginAnother>()("PluginAnother", {
  status: 400,
  title: "The archive is of another plugin",
  explanation:
    "An archive takes the place of another one of the same plugin: the `id` in its manifest is `expected`, and not `found`. Nothing was changed.",
  metadata: { expected: Schema.String, found: Schema.String }
}) {}

export class PluginPackageMissing extends Problem<PluginPackageMissing>()("PluginPackageMissing", {
  status: 404,
  title: "The archive of the plugin is missing",
  explanation: "The files of the instance lack this archive. Upload it again.",
  metadata: { plugin_instance_id: Schema.String }
}) {}

export const fetchRefusals = ["refused", "unreachable", "status", "size"] as const

export class PluginUnfetched extends Problem<PluginUnfetched>()("PluginUnfetched", {
  status: 400,
  title: "The archive could not be fetched",
  explanation:
    "`reason` is `refused` if the service sends no requests there, `unreachable` if no whole answer came in time, `status` if the answer was not 200, whose status is in `status` then, and `size` if it has more than 50 MiB.",
  metadata: { reason: Schema.Literals(fetchRefusals), status: Schema.optionalKey(Schema.Int) }
}) {}
