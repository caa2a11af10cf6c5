/** The settings as administrators see and change them (identity contract, administration). */
import { Schema } from "effect"
import { instanceFields } from "../instance/Info.ts"
import { info } from "../instance/InfoExamples.ts"
import { withExample } from "../shared/Example.ts"
import { generalChangeFields } from "./GeneralSetting.ts"
import { ModerationChanges, ModerationSettings, moderationDefaults } from "./ModerationSetting.ts"

const { onboarding_status: _, ...shown } = info
const changed = { title: "Engine room", registration_mode: "invitation" } as const

export const AdminSettings = Schema.Struct({
  ...instanceFields,
  services: Schema.Struct({ moderation: ModerationSettings }).annotate({
    identifier: "AdminSettingsServiceProps",
    description: "The settings of parts of the service"
  })
})
  .annotate({ identifier: "AdminSettingsProps", description: "The settings of the instance" })
  .pipe(withExample({ ...shown, ...changed, services: { moderation: moderationDefaults } }))
export interface AdminSettings extends Schema.Schema.Type<typeof AdminSettings> {}

export const AdminSettingsChanges = Schema.Struct({
  ...generalChangeFields,
  services: Schema.optionalKey(
    Schema.Struct({ moderation: Schema.optionalKey(ModerationChanges) }).annotate({
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
