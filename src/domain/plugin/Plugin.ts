/** Plugins as administrators see them. */
import { Schema } from "effect"
import { withExample } from "../field/Example.ts"
import { JsonObject, metaWithin } from "../field/Json.ts"
import { Timestamp } from "../field/Resource.ts"
import { secretText } from "../field/SecretText.ts"
import { WebAddress } from "../field/WebAddress.ts"
import { PluginId } from "../shared/Id.ts"
import { configuration, elsewhere, externalPlugin, issuedToken, manifest } from "./PluginExamples.ts"

export { pluginsMax, TooManyPlugins } from "./PluginRefusal.ts"

const manifestDescription =
  "What the plugin says of itself: `id`, `name`, `author`, `description`, `version`, `command`, and perhaps `args`, `events_consumed`, `access`, `configuration_schema` and `capabilities`"

export const ShownManifest = JsonObject.annotate({
  identifier: "PluginManifest",
  description: manifestDescription
}).pipe(withExample(manifest))

export const SentManifest = metaWithin(1024 * 1024)
  .annotate({
    identifier: "PluginManifestProps",
    description: `${manifestDescription}. Other fields are left out`
  })
  .pipe(withExample(manifest))

const failure = {
  message: Schema.String.annotate({ description: "How it failed" }),
  details: JsonObject.annotateKey({ description: "What else is known of the failure; empty if nothing is" })
}

export const PluginStatus = Schema.Union([
  Schema.Struct({
    active_state: Schema.Literal("inactive"),
    deactivated_at: Timestamp.annotateKey({ description: "Since when it does not run" })
  }).annotate({ identifier: "PluginStatusInactive", description: "It does not run" }),
  Schema.Struct({
    active_state: Schema.Literal("starting"),
    starting_at: Timestamp.annotateKey({ description: "Since when it is being started" })
  }).annotate({ identifier: "PluginStatusStarting", description: "Its process is being started" }),
  Schema.Struct({
    active_state: Schema.Literal("connecting"),
    connecting_at: Timestamp.annotateKey({ description: "Since when it is waited for" })
  }).annotate({
    identifier: "PluginStatusConnecting",
    description: "It has not connected yet, or not again"
  }),
  Schema.Struct({
    active_state: Schema.Literal("active"),
    activated_at: Timestamp.annotateKey({ description: "Since when it is connected" })
  }).annotate({ identifier: "PluginStatusActive", description: "It is connected" }),
  Schema.Struct({ active_state: Schema.Literal("error"), ...failure }).annotate({
    identifier: "PluginStatusError",
    description: "It failed, and is not tried again until an administrator activates it or the service starts"
  }),
  Schema.Struct({ active_state: Schema.Literal("restarting"), ...failure }).annotate({
    identifier: "PluginStatusRestarting",
    description: "It failed, and is started again in a while"
  })
]).annotate({ identifier: "PluginStatus", description: "What becomes of the plugin" })
export type PluginStatus = typeof PluginStatus.Type

const Supervised = Schema.Struct({ mode: Schema.Literal("supervised") }).annotate({
  identifier: "PluginSupervisedProps",
  description: "The service runs it, from an archive"
})

const External = Schema.Struct({
  mode: Schema.Literal("external"),
  token: secretText("What it connects with")
}).annotate({ identifier: "PluginExternalProps", description: "It runs elsewhere, and connects" })

export const Plugin = Schema.Struct({
  id: PluginId,
  added_at: Timestamp.annotateKey({ description: "When it was added" }),
  name: Schema.String.annotate({ description: "As its manifest says" }),
  description: Schema.String.annotate({ description: "As its manifest says" }),
  version: Schema.String.annotate({ description: "As its manifest says" }),
  status: PluginStatus,
  manifest: ShownManifest,
  connection: Schema.Union([Supervised, External]).annotate({
    identifier: "PluginModeUnion",
    description: "Where it runs, and what it connects with"
  }),
  manifest_omitted: Schema.optionalKey(Schema.Array(Schema.String)).annotateKey({
    description: "In a list, the fields of its manifest that did not fit into the answer, which lacks them"
  })
})
  .annotate({ identifier: "Plugin", description: "A program that extends the service" })
  .pipe(withExample(externalPlugin))
export interface Plugin extends Schema.Schema.Type<typeof Plugin> {}

export const PluginListResult = Schema.Struct({ plugins: Schema.Array(Plugin) })
  .annotate({
    identifier: "PluginListResult",
    description:
      "All plugins, newest first. Their manifests take about 2 MiB at most: those of the last ones lack what a manifest may lack where not all fits, and `manifest_omitted` names it"
  })
  .pipe(withExample({ plugins: [externalPlugin] }))

export const NewPluginProps = Schema.Union([
  Schema.Struct({
    mode: Schema.Literal("supervised"),
    url: WebAddress.annotateKey({ description: "Where the archive is, which is fetched at once" })
  }).annotate({ identifier: "PluginInitialSupervised", description: "A plugin whose archive is elsewhere" }),
  Schema.Struct({ mode: Schema.Literal("external"), manifest: SentManifest }).annotate({
    identifier: "PluginInitialExternal",
    description: "A plugin that runs elsewhere"
  })
])
  .annotate({ identifier: "PluginInitialProps", description: "A plugin to add without an upload" })
  .pipe(withExample(elsewhere))
export type NewPluginProps = typeof NewPluginProps.Type

export const PluginToken = Schema.Struct({
  token: secretText("What the plugin connects with from now on")
})
  .annotate({ identifier: "PluginCycleToken", description: "The new token of a plugin" })
  .pipe(withExample(issuedToken))

const fieldFacts = { id: Schema.String, label: Schema.String, description: Schema.String }

const ConfigurationFieldShown = Schema.Union([
  Schema.Struct({
    ...fieldFacts,
    type: Schema.Literal("string"),
    default: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: "PluginConfigurationFieldString", description: "A text that is chosen" }),
  Schema.Struct({
    ...fieldFacts,
    type: Schema.Literal("number"),
    default: Schema.optionalKey(Schema.Finite)
  }).annotate({ identifier: "PluginConfigurationFieldNumber", description: "A number that is chosen" }),
  Schema.Struct({
    ...fieldFacts,
    type: Schema.Literal("boolean"),
    default: Schema.optionalKey(Schema.Boolean)
  }).annotate({ identifier: "PluginConfigurationFieldBoolean", description: "What is on or off" })
]).annotate({
  identifier: "PluginConfigurationFieldUnion",
  description: "A value that administrators choose, of one of three types"
})

export const PluginConfigurationSchema = Schema.Struct({ fields: Schema.Array(ConfigurationFieldShown) })
  .annotate({
    identifier: "PluginConfigurationSchema",
    description: "The values that administrators choose for a plugin"
  })
  .pipe(withExample({ fields: manifest.configuration_schema.fields }))

export const PluginConfiguration = JsonObject.annotate({
  identifier: "PluginConfiguration",
  description: "The values that administrators have chosen for a plugin"
}).pipe(withExample(configuration))
