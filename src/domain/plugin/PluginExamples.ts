/** Examples of what is said of plugins. */
export const manifest = {
  id: "harbour-greeter",
  name: "Harbour greeter",
  author: "odin",
  description: "Welcomes new members in the thread of the harbour",
  version: "1.2.0",
  command: "./greeter",
  args: ["--quiet"],
  events_consumed: ["EventAccountCreated"],
  access: { handle: "greeter", name: "Greeter", permissions: ["CREATE_POST"] },
  configuration_schema: {
    fields: [
      {
        id: "greeting",
        label: "Greeting",
        description: "What new members read",
        type: "string",
        default: "Welcome aboard"
      }
    ]
  }
} as const

export const issuedToken = { token: "sdprt_q8ZtR2mXw5LbN0cYdK7uVhJ4sEfPaG9T" } as const

export const externalPlugin = {
  id: "dc3v0u7khh6uivg0020g",
  added_at: "2026-11-26T09:15:31.022Z",
  name: manifest.name,
  description: manifest.description,
  version: manifest.version,
  status: { active_state: "connecting", connecting_at: "2026-11-26T09:15:31.022Z" },
  manifest,
  connection: { mode: "external", token: issuedToken.token }
} as const

export const elsewhere = {
  mode: "supervised",
  url: "https://plugins.example/harbour-greeter.zip"
} as const

export const activeChange = { active: "inactive" } as const

export const configuration = { greeting: "Welcome to the harbour" } as const
