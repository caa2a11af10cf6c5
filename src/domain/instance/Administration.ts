/** What administrators do with the settings of an instance. */
import { Context, Effect, Layer, Schema } from "effect"
import { EventLog } from "../event/EventLog.ts"
import { JsonObject } from "../field/Json.ts"
import { generalDefaults } from "../settings/GeneralSetting.ts"
import { InstanceSettings, type SettingsChange } from "../settings/InstanceSettings.ts"
import type { SettingsParts } from "../settings/SettingsStore.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import { refuseComplex } from "../text/RichText.ts"
import { Sanitiser } from "../text/Sanitiser.ts"
import type { AdminSettings, AdminSettingsChanges } from "./AdminSetting.ts"
import { Info } from "./Info.ts"
import { Instance, type Progress } from "./Instance.ts"
import { mergedClientAddress, mergedGeneral, mergedRateLimiting } from "./SettingsRules.ts"

const encodeInfo = Schema.encodeSync(Schema.toCodecJson(Info))

/** What everyone may know of an instance, as others are told of it. */
const publicSettings = (info: Info): JsonObject => Schema.decodeUnknownSync(JsonObject)(encodeInfo(info))

const make = Effect.gen(function* () {
  const settings = yield* InstanceSettings
  const instance = yield* Instance
  const sanitiser = yield* Sanitiser
  const events = yield* EventLog

  const sanitised = (html: string | undefined) =>
    html === undefined
      ? Effect.undefined
      : sanitiser.read(html).pipe(
          Effect.map(({ document }) => document),
          Effect.catchTag("TooComplex", refuseComplex)
        )

  const shown = Effect.fnUntraced(function* (progress: Progress) {
    const { client_ip, general, moderation, rate_limiting } = yield* settings.current
    const { onboarding_status: _, ...shown } = instance.shownWith(general, progress)
    const { reserved_handles } = general
    return {
      ...shown,
      reserved_handles,
      services: { moderation, rate_limiting, client_ip }
    } satisfies AdminSettings
  })

  const read = Effect.flatMap(instance.progress, shown)

  const update = Effect.fn("Administration.update")(function* (changes: AdminSettingsChanges) {
    const { accountId } = yield* CurrentAccount
    if (Object.keys(changes).length === 0) return yield* read
    const texts = {
      content: yield* sanitised(changes.content),
      motd: yield* sanitised(changes.motd?.content)
    }
    const { client_ip, moderation, rate_limiting } = changes.services ?? {}
    const progress = yield* instance.progress
    const decide = Effect.fnUntraced(function* (stored: SettingsParts) {
      const general = yield* Effect.fromResult(mergedGeneral(stored.general, changes, texts))
      const limits =
        rate_limiting === undefined
          ? undefined
          : yield* Effect.fromResult(mergedRateLimiting(stored.rate_limiting, rate_limiting))
      const info = instance.shownWith({ ...generalDefaults, ...general }, progress)
      yield* events.append(accountId, { _tag: "SettingsUpdated", settings: publicSettings(info) })
      return {
        general,
        ...(moderation === undefined ? {} : { moderation: { ...stored.moderation, ...moderation } }),
        ...(limits === undefined ? {} : { rate_limiting: limits }),
        ...(client_ip === undefined ? {} : { client_ip: mergedClientAddress(stored.client_ip, client_ip) })
      } satisfies SettingsChange
    })
    yield* settings.change(decide)
    return yield* shown(progress)
  })

  return { read, update } as const
})

export class Administration extends Context.Service<Administration, Effect.Success<typeof make>>()(
  "forum/domain/Administration"
) {
  static readonly layer = Layer.effect(Administration, make).pipe(
    Layer.provide(Layer.merge(InstanceSettings.layer, Instance.layer))
  )
}
