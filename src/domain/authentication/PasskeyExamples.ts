const challenge = "r3vcSSqBk2zwHGr0gc2-ZTRhPdaWGsjMXZPt1MvmJmc"
const credentialId = "jUWQ4aVnKQFz9vR1yK0w3A"

// The bytes of the account's id.
const userHandle = "ZGMwcWR0N2toaDZ1aXZnMDAwMGc"

export const creation = {
  publicKey: {
    rp: { id: "forum.example", name: "Forum" },
    user: { id: userHandle, name: "odin", displayName: "Odin" },
    challenge,
    pubKeyCredParams: [
      { type: "public-key", alg: -8 },
      { type: "public-key", alg: -7 },
      { type: "public-key", alg: -257 }
    ],
    timeout: 600_000,
    excludeCredentials: [],
    authenticatorSelection: {
      residentKey: "preferred",
      requireResidentKey: false,
      userVerification: "preferred"
    },
    attestation: "none"
  }
} as const

export const request = {
  publicKey: {
    challenge,
    timeout: 600_000,
    rpId: "forum.example",
    allowCredentials: [{ type: "public-key", id: credentialId, transports: ["internal"] }],
    userVerification: "preferred"
  }
} as const

const clientDataJSON =
  "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoicjN2Y1NTcUJrMnp3SEdyMGdjMi1aVFJoUGRhV0dzak1YWlB0MU12bUptYyIsIm9yaWdpbiI6Imh0dHBzOi8vZm9ydW0uZXhhbXBsZSJ9"

export const credential = {
  id: credentialId,
  rawId: credentialId,
  type: "public-key",
  response: {
    clientDataJSON,
    authenticatorData: "mv6QyJ4pJm8bQ2Jc1Vw8O1kqzU8Yp0yI8q7m8kzUo1sFAAAAAQ",
    signature:
      "MEUCIQCh0pT9Vn8n0Vd0m8pD0F3uQ9yq8Zt1q5v7r4l2m6a3bQIgJ4n2w8y1c5f7h9k0m3p6s8v1x4z7A0D3G6J9M2P5S8U",
    userHandle
  },
  clientExtensionResults: {},
  authenticatorAttachment: "platform"
} as const
