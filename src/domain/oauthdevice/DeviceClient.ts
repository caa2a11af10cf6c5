import type { StoredClient } from "../oauthclient/OAuthClientStore.ts"
import { checkGrant } from "../oauthgrant/ClientAuthentication.ts"
import { unauthorizedClient } from "../oauthgrant/Refusals.ts"
import { deviceGrant } from "./DeviceRules.ts"

/** Fails unless the client may run on devices on which nobody can sign in. */
export const checkOnDevices = (client: StoredClient) =>
  client.shown.type === "public"
    ? checkGrant(client, deviceGrant)
    : unauthorizedClient("The client has a secret, which no device can keep")
