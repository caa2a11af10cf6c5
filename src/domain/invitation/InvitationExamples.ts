import { odin } from "../account/AccountExamples.ts"

const created = "2026-11-21T14:13:10.104Z"

export const newInvitation = { message: "Come and have a drink." } as const

export const invitation = {
  id: "dc0qdtnkhh6uivg0006g",
  createdAt: created,
  updatedAt: created,
  misc: {},
  creator: odin,
  ...newInvitation
} as const
