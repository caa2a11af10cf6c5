/** Keys of requests: more than an account may use, long ones, with large bodies, and one many times. */
import { assert } from "vitest"
import { call, flood, fromMany, repeat } from "../clients.ts"
import { answered, attack, print, whileOthersWrite } from "../harness.ts"
import type { Target } from "../target.ts"

/** How many keys of an account are kept of a day. */
const most = 10_000

/** As long as may be. */
const keyOf = (name: string, n: number) => `${name}-${n}-`.padEnd(255, "~")

const mebibyte = 1024 * 1024

/** As if accounts had used all keys of the day. */
const useUp = ({ members, rows }: Target, accounts: ReadonlyArray<number>) => {
  const ids = accounts.map((n) => `('${members(n).id}')`).join()
  return rows(`do $$ begin
    -- A trigger would count each.
    perform set_config('session_replication_role', 'replica', true);
    insert into idempotency_keys (account_id, key, fingerprint, claim, claimed_at, backend, backend_at, answered_at,
        status, content_type, body)
      select id, rpad(n || '-', 255, '~'), sha256(''), decode(repeat('00', 16), 'hex'), now(), 0, now(), now(), 200,
        'application/json', convert_to(repeat(md5(n::text), 60), 'utf8')
      from (values ${ids}) a (id), generate_series(1, ${most}) n;
    insert into idempotency_counts (account_id, day, kept)
      select id, (now() at time zone 'utc')::date, ${most} from (values ${ids}) a (id)
      on conflict (account_id) do update set day = excluded.day, kept = excluded.kept;
  end $$`)
}

const numberOf = async ({ rows }: Target) => {
  const [row] = await rows("select count(*)::int as count from idempotency_keys")
  return Number(row?.count)
}

const replyWith = (
  { spare }: Target,
  key: string,
  headers: Readonly<Record<string, string>>,
  body: string
) => ({
  method: "POST",
  path: `/api/threads/${spare}/replies`,
  headers: { ...headers, "idempotency-key": key },
  body: { body }
})

const full = [0, 1, 2, 3, 4]

export const keys = (target: () => Target) => {
  attack("accounts that have used 50,000 keys on a day use more", target, async (target) => {
    await useUp(target, full)
    const before = await numberOf(target)
    await whileOthersWrite(
      target,
      answered(
        flood(target, 64, (n) =>
          replyWith(target, keyOf("more", n), fromMany(n, target.members(n % full.length).headers), `${n}`)
        ),
        429,
        503
      )
    )
    assert.strictEqual(await numberOf(target), before)
  })

  attack("more than a hundred accounts use keys as long as may be", target, (target) =>
    whileOthersWrite(
      target,
      answered(
        flood(target, 64, (n) =>
          replyWith(target, keyOf("long", n), fromMany(n, target.members(5 + (n % 150)).headers), `${n}`)
        ),
        200,
        503
      )
    )
  )

  attack("bodies with keys are as large as may be", target, (target) =>
    answered(
      flood(target, 16, (n) =>
        replyWith(
          target,
          keyOf("large", n),
          fromMany(n, target.members(5 + (n % 150)).headers),
          "x".repeat(mebibyte - 100)
        )
      ),
      400,
      503
    )
  )

  attack("two hundred requests at once have the same key", target, async (target) => {
    const together = 200
    const made = new Map<string, Set<string>>()
    const { headers } = target.members(5)
    await whileOthersWrite(
      target,
      answered(
        repeat(together, async (n, agent) => {
          const key = keyOf("same", Math.floor(n / together))
          const asked = replyWith(target, key, fromMany(n, headers), "Once")
          const { json, status } = await call(target.port, { agent, ...asked })
          if (status === 200) made.set(key, (made.get(key) ?? new Set()).add(String(json.id)))
          return status
        }),
        200,
        409,
        503
      )
    )
    print(`${made.size} keys`)
    assert.deepStrictEqual(
      [...made.values()].filter(({ size }) => size > 1),
      []
    )
  })
}
