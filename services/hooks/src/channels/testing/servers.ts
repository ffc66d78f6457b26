// Real servers for the channels that have some: IRC, MQTT, XMPP.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@atoll/testkit/free-port'
import { tempDir } from '@atoll/testkit/temp-dir'
import { type Program, startProgram } from './program.ts'

export interface Server extends Program {
  port: number
}

export async function startIrcServer(): Promise<Server> {
  const port = await freePort()
  const folder = await tempDir()
  const file = join(folder, 'ngircd.conf')
  writeFileSync(
    file,
    `[Global]
Name = irc.test.local
Info = test
Listen = 127.0.0.1
Ports = ${port}
ServerGID = ${process.getgid?.()}
ServerUID = ${process.getuid?.()}
[Limits]
MaxConnectionsIP = 0
MaxPenaltyTime = 0
[Options]
DNS = no
Ident = no
PAM = no
`,
  )
  return { port, ...(await startProgram('ngircd', ['--nodaemon', '--config', file], port)) }
}

/** `users`: name to password; without them everybody may come in. */
export async function startBroker(user?: { name: string; password: string }): Promise<Server> {
  const port = await freePort()
  const folder = await tempDir()
  const [file, passwords] = [join(folder, 'mosquitto.conf'), join(folder, 'passwords')]
  chmodSync(folder, 0o755)
  const lines = [`listener ${port} 127.0.0.1`, 'persistence false', `user ${userInfo().username}`]
  if (user === undefined) lines.push('allow_anonymous true')
  else {
    spawnSync('mosquitto_passwd', ['-b', '-c', passwords, user.name, user.password])
    lines.push('allow_anonymous false', `password_file ${passwords}`)
  }
  writeFileSync(file, `${lines.join('\n')}\n`)
  return { port, ...(await startProgram('mosquitto', ['-c', file], port)) }
}

/** With an account for each name; its password is the name and `-secret`. */
export async function startXmppServer(domain: string, names: readonly string[]): Promise<Server> {
  const port = await freePort()
  const folder = await tempDir()
  const data = join(folder, 'data')
  mkdirSync(data)
  const file = join(folder, 'prosody.cfg.lua')
  writeFileSync(
    file,
    `run_as_root = true
daemonize = false
pidfile = "${folder}/prosody.pid"
data_path = "${data}"
log = { warn = "*console" }
interfaces = { "127.0.0.1" }
c2s_ports = { ${port} }
s2s_ports = { }
c2s_require_encryption = false
allow_unencrypted_plain_auth = false
authentication = "internal_hashed"
default_iteration_count = 4096
modules_enabled = { "roster"; "saslauth"; "disco"; "ping"; "offline"; }
modules_disabled = { "s2s"; "tls"; }
VirtualHost "${domain}"
Component "rooms.${domain}" "muc"
  muc_room_locking = false
`,
  )
  const server = await startProgram('prosody', ['--config', file, '-F'], port)
  for (const name of names) {
    spawnSync('prosodyctl', ['--config', file, 'register', name, domain, `${name}-secret`], { stdio: 'ignore' })
  }
  return { port, ...server }
}
