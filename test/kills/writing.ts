/** Writes with keys, each of which is noted as soon as it is acknowledged. */
import { randomUUID } from "node:crypto"
import type { Chance } from "./chance.ts"
import type { Client, Request } from "./client.ts"
import { add, type Ledger } from "./ledger.ts"

/** Of how many acknowledged requests one is sent once more. */
const repeated = 0.1

export interface Writer {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  readonly client: Client
  readonly chance: Chance
  readonly ledger: Ledger
}

type Asked = Omit<Request, "headers">

const isSuccess = (status: number) => status >= 200 && status < 300

/**
 * Sends a request with a key of its own until it is answered, sometimes again, and answers its body. It must succeed, or
 * be refused with a status.
 */
export const write = async (
  { chance, client, headers, ledger, name }: Writer,
  kind: string,
  asked: Asked,
  refusal?: number
): Promise<Readonly<Record<string, unknown>>> => {
  const key = `${name}-${randomUUID()}`
  const request = { ...asked, headers }
  const answer = await client.once(request, key)
  const isExpected = refusal === undefined ? isSuccess(answer.status) : answer.status === refusal
  if (!isExpected) {
    throw new Error(`${kind}, ${asked.method} ${asked.path} (${key}): ${answer.status} ${answer.text}`)
  }
  if (chance.next() < repeated) {
    const again = await client.once(request, key)
    if (!again.isReplayed) throw new Error(`${kind} was done again (${key}): ${again.text}`)
    if (again.status !== answer.status || again.text !== answer.text) {
      throw new Error(`${kind} was told otherwise (${key}): ${again.text}, not ${answer.text}`)
    }
  }
  add(ledger.writes, kind)
  return answer.text === "" ? {} : JSON.parse(answer.text)
}
