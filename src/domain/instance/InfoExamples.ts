export const info = {
  title: "Forum",
  description: "A place to talk and to keep what was learned.",
  content: "<body></body>",
  accent_colour: "#2f6f5e",
  onboarding_status: "complete",
  authentication_mode: "handle",
  registration_mode: "public",
  capabilities: ["plugins", "email_client", "sms_client", "oauth"],
  web_address: "https://forum.example",
  api_address: "https://forum.example",
  metadata: {}
} as const

const { onboarding_status: _, ...shown } = info

/** What administrators are shown of it beside the settings. */
export const adminInfo = shown
