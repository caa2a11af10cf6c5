import { odin } from "../account/AccountExamples.ts"

const created = "2026-11-21T14:13:10.004Z"

export const ownKey = {
  id: "dc0qdtfkhh6uivg0004g",
  createdAt: created,
  updatedAt: created,
  misc: {},
  name: "Backup",
  enabled: true,
  expires_at: "2027-11-21T00:00:00.000Z"
} as const

export const issuedKey = {
  ...ownKey,
  secret: "fpk_wW5ce2nVSSeLB_1n8SxNVQwrYYbQYHS5-DDeLkTDkMU"
} as const

export const ownedKey = { ...ownKey, created_by: odin } as const
