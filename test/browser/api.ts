/** The API of the service that a browser is tried with. */

export const password = "correct horse battery"

/** Calls the API at an address, and fails where it refuses. */
export const apiAt = (address: string) => {
  const call = async (path: string, body: object, cookie = "", method = "POST") => {
    const answer = await fetch(`${address}/api${path}`, {
      method,
      headers: { "content-type": "application/json", cookie },
      body: JSON.stringify(body)
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer
  }

  /** Makes an account, and answers its cookie. */
  const signUp = async (identifier: string) => {
    const { headers } = await call("/auth/password/signup", { identifier, token: password })
    return headers.getSetCookie()[0]?.split(";", 1)[0] ?? ""
  }

  return { call, signUp } as const
}
