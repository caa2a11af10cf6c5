/** The settings as administrators see and change them. */
import { Schema } from "effect"
import { withExample } from "../field/Example.ts"
import {
  ClientAddressChanges,
  ClientAddressSettings,
  clientAddressDefaults
} from "../settings/ClientAddressSetting.ts"
import { generalChangeFields } from "../settings/GeneralSetting.ts"
import { ModerationChanges, ModerationSettings, moderationDefaults } from "../settings/ModerationSetting.ts"
import { RateLimitChanges, RateLimitSettings, rateLimitDefaults } from "../settings/RateLimitSetting.ts"
import { instanceFields } from "./Info.ts"
import { adminInfo } from "./InfoExamples.ts"

const changed = {
  title: "Engine room",
  registration_mode: "invitation",
  reserved_handles: ["moderator", "staff"]
} as const

/** What helps to choose how addresses of clients are found. */
export const NetworkHeadersSample = Schema.Struct({
  raw_client_address: Schema.optionalKey(Schema.String).annotateKey({
    description: "The address of the connection, whatever headers say"
  }),
  headers: Schema.Record(Schema.String, Schema.String).annotate({
    description: "Headers of the request that name the client: `x-forwarded-for`, if it was sent"
  }),
  headers_ssr: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)).annotateKey({
    description:
      "The same, if the request says by `X-Storyden-Ssr` that a frontend renders a page on its server, and sent any"
  })
}).annotate({
  identifier: "NetworkHeadersSample",
  description: "What the request that reads the settings says of where it comes from"
})

export const AdminSettings = Schema.Struct({
  ...instanceFields,
  reserved_handles: Schema.Array(Schema.String).annotate({
    description: "Handles that nobody may take, beside those that every instance reserves"
  }),
  services: Schema.Struct({
    moderation: ModerationSettings,
    rate_limiting: RateLimitSettings,
    client_ip: ClientAddressSettings
  }).annotate({
    identifier: "AdminSettingsServiceProps",
    description: "The settings of parts of the service"
  }),
  headers: Schema.optionalKey(NetworkHeadersSample).annotateKey({
    description: "Only where the settings are read, not where they are changed"
  })
})
  .annotate({ identifier: "AdminSettingsProps", description: "The settings of the instance" })
  .pipe(
    withExample({
      ...adminInfo,
      ...changed,
      services: {
        moderation: moderationDefaults,
        rate_limiting: {
          ...rateLimitDefaults({ exemptNetworks: [] }),
          exempt_cidrs: ["127.0.0.0/8", "::1/128"]
        },
        client_ip: clientAddressDefaults({ trustedProxies: [] })
      },
      headers: { raw_client_address: "203.0.113.7", headers: {} }
    })
  )
export interface AdminSettings extends Schema.Schema.Type<typeof AdminSettings> {}

export const AdminSettingsChanges = Schema.Struct({
  ...generalChangeFields,
  services: Schema.optionalKey(
    Schema.Struct({
      moderation: Schema.optionalKey(ModerationChanges),
      rate_limiting: Schema.optionalKey(RateLimitChanges),
      client_ip: Schema.optionalKey(ClientAddressChanges)
    }).annotate({
      identifier: "AdminSettingsServiceMutableProps",
      description: "What to change of the settings of parts of the service"
    })
  )
})
  .annotate({
    identifier: "AdminSettingsMutableProps",
    description:
      "What to change of the settings. Absent fields stay as they are, objects are merged, lists are replaced; the addresses of the instance cannot be changed."
  })
  .pipe(withExample(changed))
export interface AdminSettingsChanges extends Schema.Schema.Type<typeof AdminSettingsChanges> {}
