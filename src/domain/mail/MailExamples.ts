/** A mail that was sent at the first attempt. */

export const sentMail = {
  id: "dc0qdtnkhh6uivg000a0",
  queued_at: "2026-11-21T14:13:10.104Z",
  updated_at: "2026-11-21T14:13:10.460Z",
  processed_at: "2026-11-21T14:13:10.460Z",
  status: "sent",
  recipient_address: "odin@example.com",
  recipient_name: "Odin",
  subject: "Welcome to Forum!",
  attempts: [{ timestamp: "2026-11-21T14:13:10.460Z", status: "sent" }]
} as const
