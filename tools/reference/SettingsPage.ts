/** Every setting of a deployment, and every setting that administrators change while the service runs. */
import { ConfigProvider, Effect, Layer } from "effect"
import { clientAddressDefaults } from "../../src/domain/settings/ClientAddressSetting.ts"
import { generalDefaults } from "../../src/domain/settings/GeneralSetting.ts"
import { moderationDefaults } from "../../src/domain/settings/ModerationSetting.ts"
import { rateLimitDefaults } from "../../src/domain/settings/RateLimitSetting.ts"
import { isObject, type Json, type JsonObject, objectAt, textAt } from "../../src/http/document/Json.ts"
import { type DeclaredSetting, declaredSettings } from "../../src/layers/process/Setting.ts"
import { Settings } from "../../src/layers/process/Settings.ts"
import { schemas } from "./Declared.ts"
import { code, mark, page, parts, table } from "./Markdown.ts"
import { type DescribedSetting, describedSettings } from "./OperatingPage.ts"
import { boundsText, typeText } from "./SchemaText.ts"

/** Reads the settings of an environment. */
export const settingsOf = (env: Readonly<Record<string, string>>) =>
  Effect.provide(
    Settings,
    Settings.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env }))))
  )

/** What each setting takes, as it is declared where it is read. */
export const declared: Effect.Effect<ReadonlyMap<string, DeclaredSetting>> = Effect.map(
  Effect.orDie(settingsOf({})),
  () => declaredSettings
)

const formOf = ({ form, isList, isSecret }: DeclaredSetting): string =>
  [
    form,
    ...(isList && !/commas|spaces/.test(form) ? ["several"] : []),
    ...(isSecret ? ["**secret**"] : [])
  ].join("; ")

/** Whether administrators may choose something else while the service runs. */
const changes = ({ meaning }: DescribedSetting): string =>
  /until administrators change it/.test(meaning) ? "yes, by administrators" : "no"

const rows = (list: ReadonlyArray<DescribedSetting>, all: ReadonlyMap<string, DeclaredSetting>) =>
  list.map((setting) => {
    const form = all.get(setting.name)
    if (form === undefined)
      throw new Error(`${setting.name} is described in docs/operating.md, but nothing reads it`)
    return [mark(setting.name), formOf(form), setting.usual, changes(setting), setting.meaning]
  })

const defaults: JsonObject = JSON.parse(
  JSON.stringify({
    ...generalDefaults,
    services: {
      moderation: moderationDefaults,
      rate_limiting: rateLimitDefaults({ exemptNetworks: [] }),
      client_ip: clientAddressDefaults({ trustedProxies: [] })
    }
  })
)

const valueAt = (path: string): Json | undefined =>
  path
    .split(".")
    .reduce<Json | undefined>((value, key) => (isObject(value) ? value[key] : undefined), defaults)

const shown = (value: Json | undefined): string => {
  const text = value === undefined ? "" : JSON.stringify(value)
  return text === "" ? "none" : code(text)
}

/** Where the default is that of a deployment. */
const deployed: Readonly<Record<string, string>> = {
  "services.rate_limiting.exempt_cidrs": "`RATE_LIMIT_EXEMPT`",
  "services.client_ip.trusted_proxy_cidrs": "`TRUSTED_PROXIES`",
  "services.client_ip.client_ip_mode": "`remote_addr`; `xff_trusted_proxies` with `TRUSTED_PROXIES`"
}

/** The fields of what administrators send, with their places in it. */
const fieldsOf = (schema: Json | undefined, place: string): ReadonlyArray<readonly [string, JsonObject]> => {
  const name = textAt(schema, "$ref")?.split("/").at(-1)
  const found = name === undefined ? schema : schemas[name]
  const about = textAt(schema, "description")
  const fields = Object.entries(objectAt(found, "properties"))
  if (fields.length > 0) {
    return fields.flatMap(([key, field]) => fieldsOf(field, place === "" ? key : `${place}.${key}`))
  }
  if (!isObject(found)) return []
  return [[place, { ...found, ...(about === undefined ? {} : { description: about }) }]]
}

const changing = fieldsOf(schemas.AdminSettingsMutableProps, "").map(([place, schema]) => [
  code(place),
  [typeText(schema), boundsText(schema)].filter((text) => text !== "").join("; "),
  deployed[place] ?? shown(valueAt(place)),
  textAt(schema, "description") ?? ""
])

export const settingsPage = Effect.map(declared, (all) => {
  const described = describedSettings()
  const groups = [...Map.groupBy(described, ({ about }) => about)]
  return page(
    "Settings",
    [
      `${described.length} variables of the environment, read once when the service starts: a change holds from the next`,
      "start on. A value that cannot be used prevents the start. [Operating the service](../operating.md#settings)",
      "says more, in the same order. What administrators change while the service runs is",
      "[below](#settings-of-administrators)."
    ],
    ["## Settings of a deployment"],
    ...groups.map(([about, list]) =>
      parts(
        [`${about}${/[.:]$/.test(about) ? "" : ":"}`],
        table(["Variable", "Takes", "Default", "Changes while it runs", "Meaning"], rows(list, all))
      )
    ),
    ["## Settings of administrators"],
    [
      "`PATCH /admin` changes them, for all instances within a second. Only differences from the default are stored."
    ],
    table(["Field", "Takes", "Default", "Meaning"], changing)
  )
})
