export const askedOwnData = { password: "correct horse battery" } as const

export const ownDataExport = {
  state: "ready",
  requested_at: "2026-11-21T14:13:10.104Z",
  made_at: "2026-11-21T14:13:12.310Z",
  expires_at: "2026-11-28T14:13:12.310Z",
  size: 48_213,
  path: "/api/accounts/self/export/archive"
} as const
