export const metadata = {
  client_name: "Tide tables",
  redirect_uris: ["https://tides.example/callback"],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  scope: "openid offline_access READ_PUBLISHED_THREADS",
  token_endpoint_auth_method: "client_secret_basic",
  client_uri: "https://tides.example/"
} as const

const clientId = "foc_2mB8sKx0QeYtV5cRj1NwLz7HdUo4GfPi9ATnXkC6vEy"

const issued = {
  client_id: clientId,
  client_id_issued_at: 1_795_684_531,
  client_secret_expires_at: 0,
  registration_access_token: "frat_Vw3nXk8RzQy1LcTf6JmHs0BdPi7EuGo2YaKtNxS5vMq",
  registration_client_uri: `https://forum.example/api/oauth/register/${clientId}`
} as const

/** What a client is answered that asks what is known of it: its secret is not. */
export const registration = { ...issued, ...metadata } as const

export const newRegistration = {
  ...registration,
  client_secret: "fos_7cQx2VbLm9TzNw4RkYh0JsPf6DgAe1UiXoMtKvBy3Gn"
} as const

export const changedMetadata = { client_id: clientId, ...metadata } as const
