import { odin } from "../account/AccountExamples.ts"

export const initialToken = {
  id: "dc3v0u7khh6uivg000cg",
  createdAt: "2026-11-26T09:15:31.022Z",
  name: "Build machines",
  created_by: odin.id,
  expires_at: "2026-12-26T00:00:00.000Z",
  max_registrations: 5,
  registrations_used: 0
} as const

export const issuedInitialToken = {
  ...initialToken,
  token: "fiat_Qm7Yx2Kd9sVb4TnLw0RzGh6JcPf1EuAoXi3MvNyBt8C"
} as const
