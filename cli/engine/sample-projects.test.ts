// Projects as people build them, from a base of this machine's own programs: in C, and for Node.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EngineServer, lacking, startEngineServer } from './engine-server.ts'
import { importMachine } from './machine-image.ts'
import { projectFolder } from './project-folder.ts'
import { runToEnd } from './run-to-end.ts'

const lacks = lacking('gcc', 'ldd')
const buildTimeoutMs = 100_000
let server: EngineServer

beforeAll(async () => {
  if (lacks.length > 0) return
  server = await startEngineServer()
  await importMachine(server)
}, 240_000)
afterAll(async () => {
  await server?.stop()
}, 180_000)

const docker = (args: string[]) =>
  runToEnd('docker', args, { env: server.env, timeoutMs: buildTimeoutMs, isMerged: true })

const project = (name: string, files: Record<string, string>) => projectFolder(server.folder, name, files)

describe.skipIf(lacks.length > 0)('a project of several stages', { timeout: 120_000 }, () => {
  it('in C becomes an image of one program', async () => {
    const folder = project('in-c', {
      Dockerfile: [
        'FROM machine AS build',
        'WORKDIR /src',
        'COPY greet.h *.c ./',
        'RUN gcc -O1 -Wall -Werror -c main.c && gcc -O1 -c greet.c && gcc -static -o /greet main.o greet.o',
        'FROM build AS test',
        'RUN [ "$(/greet tests)" = "Hello, tests!" ] && touch /passed',
        'FROM scratch',
        'COPY --from=test /passed /',
        'COPY --from=build /greet /greet',
        'ENTRYPOINT ["/greet"]',
        'CMD ["you"]',
      ].join('\n'),
      'greet.h': 'void greet(const char *who);\n',
      'greet.c':
        '#include <stdio.h>\n#include "greet.h"\nvoid greet(const char *who) { printf("Hello, %s!\\n", who); }\n',
      'main.c':
        '#include "greet.h"\nint main(int count, char **words) { greet(count > 1 ? words[1] : "nobody"); return 0; }\n',
    })
    const built = await docker(['build', '-t', 'in-c', folder])
    expect(built.code, built.stdout).toBe(0)
    expect((await docker(['run', '--rm', 'in-c'])).stdout).toBe('Hello, you!\n')
    expect((await docker(['run', '--rm', 'in-c', 'there'])).stdout).toBe('Hello, there!\n')
    const size = Number((await docker(['image', 'inspect', '-f', '{{.Size}}', 'in-c'])).stdout)
    expect(size).toBeLessThan(3_000_000)
  })

  it('for Node becomes an image of Node and one file', async () => {
    const folder = project('for-node', {
      Dockerfile: [
        'FROM machine AS build',
        'WORKDIR /app',
        'COPY package.json ./',
        'COPY src src',
        'RUN node src/bundle.mjs && node --check dist/server.mjs',
        'FROM scratch',
        'COPY --from=build /usr/local/bin/node /bin/node',
        'COPY --from=build /lib /lib',
        ...(process.arch === 'x64' ? ['COPY --from=build /lib64 /lib64'] : []), // its loader; arm64 has it in /lib
        'COPY --from=build --chown=1000:1000 /app/dist /app',
        'USER 1000:1000',
        'WORKDIR /app',
        'HEALTHCHECK --interval=1s CMD ["/bin/node", "server.mjs", "--check"]',
        'ENTRYPOINT ["/bin/node", "server.mjs"]',
      ].join('\n'),
      'package.json': '{ "name": "for-node", "version": "1.2.3", "type": "module" }\n',
      'src/bundle.mjs': [
        "import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'",
        "const { version } = JSON.parse(readFileSync('package.json', 'utf8'))",
        "mkdirSync('dist')",
        "writeFileSync('dist/server.mjs', `const version = '${version}'\\n` + readFileSync('src/server.mjs', 'utf8'))",
      ].join('\n'),
      'src/server.mjs': [
        "import { createServer } from 'node:http'",
        "const check = () => fetch('http://127.0.0.1:3000').then((answer) => process.exit(answer.ok ? 0 : 1))",
        'const answer = (_, response) => response.end(`version ${version}, user ${process.getuid()}\\n`)',
        "if (process.argv[2] === '--check') await check()",
        'else createServer(answer).listen(3000)',
      ].join('\n'),
    })
    const built = await docker(['build', '-t', 'for-node', folder])
    expect(built.code, built.stdout).toBe(0)
    const id = (await docker(['run', '-d', 'for-node'])).stdout.trim()
    await expect.poll(() => healthOf(id), { timeout: 60_000, interval: 200 }).toBe('healthy')
    const asked = "fetch('http://127.0.0.1:3000').then((answer) => answer.text()).then((text) => console.log(text))"
    expect((await docker(['exec', id, '/bin/node', '-e', asked])).stdout).toContain('version 1.2.3, user 1000')
    await docker(['rm', '-f', id])
  })
})

const healthOf = async (id: string) => (await docker(['inspect', '-f', '{{.State.Health.Status}}', id])).stdout.trim()
