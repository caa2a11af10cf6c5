/**
 * Passkeys with a real browser, whose authenticator is a virtual one, against a running service:
 * `node test/browser/passkeys.ts <address> <path of Chromium>`.
 */
import assert from "node:assert/strict"
import { field, launch } from "./devtools.ts"

const [address = "", executable = ""] = process.argv.slice(2)

const browser = await launch(executable)

/** What each step does on the page, as a frontend would write it. */
const library = `
  const api = (path, body) => fetch("/api" + path, {
    method: body === undefined ? "GET" : "POST",
    credentials: "include",
    headers: body === undefined ? {} : { "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body)
  })
  const read = async (response) => {
    const body = await response.json()
    if (!response.ok) throw new Error(response.status + " " + JSON.stringify(body))
    return body
  }
  const make = async (handle) => {
    const { publicKey } = await read(await api("/auth/webauthn/make/" + handle))
    const made = await navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey)
    })
    return api("/auth/webauthn/make", made.toJSON())
  }
  const prove = async (handle) => {
    const { publicKey } = await read(await api("/auth/webauthn/assert/" + handle))
    const proof = await navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey)
    })
    return proof.toJSON()
  }
  const signOut = () => fetch("/api/auth/logout", { method: "POST", credentials: "include", redirect: "manual" })
`

/** Runs a step on the page; it ends with a \`return\`. */
const step = async (name: string, body: string) => {
  const value = await browser.evaluate(`(async () => { ${library}; ${body} })()`)
  process.stdout.write(`${name}: ${JSON.stringify(value)}\n`)
  return value
}

const authenticator = (more: object) =>
  browser.page("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
      ...more
    }
  })

try {
  // Whatever page of the origin; its own policy would not let it send requests.
  await browser.page("Page.setBypassCSP", { enabled: true })
  await browser.open(`${address}/api/version`)
  await browser.page("WebAuthn.enable")
  const first = field(await authenticator({}), "authenticatorId")

  const { id, handle } = Object(
    await step(
      "Sign up",
      `const { id } = await read(await make("odin"))
      const { handle } = await read(await api("/accounts"))
      return { id, handle }`
    )
  )
  assert.equal(handle, "odin")

  await step("Sign out", `await signOut(); return (await api("/accounts")).status`).then((status) =>
    assert.equal(status, 401)
  )
  const signedIn = await step(
    "Sign in",
    `const proof = await prove("odin")
      const { id } = await read(await api("/auth/webauthn/assert", proof))
      const again = await api("/auth/webauthn/assert", proof)
      return [id, (await read(await api("/accounts"))).auth_services.join(), again.status]`
  )
  assert.deepEqual(signedIn, [id, "webauthn", 401])

  const same = await step(
    "The same authenticator again",
    `return make("odin").then(() => "added", ({ name }) => name)`
  )
  assert.equal(same, "InvalidStateError")

  await browser.page("WebAuthn.removeVirtualAuthenticator", { authenticatorId: first })
  await authenticator({
    transport: "usb",
    hasResidentKey: false,
    hasUserVerification: false,
    isUserVerified: false
  })
  const added = await step(
    "Add a security key",
    `await read(await make("odin"))
      await signOut()
      await read(await api("/auth/webauthn/assert", await prove("odin")))
      return (await read(await api("/accounts/self/auth-methods"))).active.length`
  )
  assert.equal(added, 2)
  process.stdout.write("Passkeys work in a browser\n")
} finally {
  await browser.close()
}
