#!/usr/bin/env bash
# Packs the client, installs it in an empty folder, and uses it there against a running service.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
export PATH="$root/node_modules/.bin:$PATH"

. .ci/scratch.sh

npm run --silent build
mkdir -p "$scratch/examples" "$scratch/dist" "$scratch/empty"
cp -r dist/client "$scratch/dist/"
cp -r examples/bot "$scratch/examples/"

echo "Installing the packed client in an empty folder"
packed=$(cd dist/client && npm pack --silent --pack-destination "$scratch")
cd "$scratch/empty"
echo '{ "private": true, "type": "module" }' >package.json
npm install --silent --no-fund --no-audit "$scratch/$packed"
cp "$root/.ci/client/steps.ts" .
# The programs that the documentation shows.
shown() { sed -n '/^```ts$/,/^```$/{/^```/!p}' "$1"; }
shown "$root/README.md" >readme.ts
shown "$root/src/client/README.md" >client-readme.ts
grep -q forum-client readme.ts
grep -q forum-client client-readme.ts
node -e '
  const { readdirSync, statSync } = require("node:fs")
  const { join } = require("node:path")
  const installed = readdirSync("node_modules").filter((name) => !name.startsWith("."))
  if (installed.sort().join() !== "effect,forum-client") throw new Error(`Installed: ${installed}`)
  const files = readdirSync("node_modules/forum-client", { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
  const bytes = files.reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0)
  console.log(`packed ${statSync(process.argv[1]).size} bytes, unpacked ${bytes} bytes in ${files.length} files`)
' "$scratch/$packed"
node -e '
  const before = performance.now()
  import("effect/http-api").then(async () => {
    const between = performance.now()
    await import("forum-client")
    const milliseconds = (from, to) => Math.round(to - from)
    console.log(`imported in ${milliseconds(between, performance.now())} ms, after ${milliseconds(before, between)} ms for effect`)
  })
'

echo "Compiling programs against its types, without those of Node"
cat >tsconfig.json <<'TSCONFIG'
{
  "compilerOptions": {
    "target": "ESNext",
    "lib": ["ESNext", "DOM"],
    "module": "NodeNext",
    "moduleResolution": "NodeNext",
    "strict": true,
    "exactOptionalPropertyTypes": true,
    "noEmit": true,
    "types": []
  },
  "files": ["steps.ts", "readme.ts", "client-readme.ts"]
}
TSCONFIG
tsc --project tsconfig.json

echo "Starting the service"
start_service "$scratch/data"

export BOT_HANDLE=bot BOT_PASSWORD='a long password' FORUM_URL=$address
echo "First steps with the client at $address"
node steps.ts "$address" firstSteps
node steps.ts "$address" awaitMention

echo "The example bot, twice, and once more as if it had been stopped half-way"
bot="$scratch/examples/bot"
(cd "$bot" && npm install --silent --no-fund --no-audit)
(cd "$bot" && tsc --noEmit --strict --target ESNext --lib ESNext,DOM --module NodeNext \
  --types node --typeRoots "$root/node_modules/@types" main.ts)
(cd "$bot" && npm start --silent -- --once)
(cd "$bot" && npm start --silent -- --once)
node steps.ts "$address" forgetMark
(cd "$bot" && npm start --silent -- --once)

thread=$(curl -sf "$address/api/threads" | node -p 'JSON.parse(require("node:fs").readFileSync(0)).threads[0].id')
answers=$(curl -sf "$address/api/threads/$thread" |
  node -p 'JSON.parse(require("node:fs").readFileSync(0)).replies.replies.filter(({ author }) => author.handle === "bot").length')
[ "$answers" -eq 1 ] || { echo "The bot replied $answers times"; exit 1; }
echo "The client and the bot work"
