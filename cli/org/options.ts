// Options that many commands share.
import type { Command } from 'commander'

export const onServer = (command: Command): Command =>
  command
    .option('--url <url>', 'the server (default OPENAI_BASE_URL, else http://127.0.0.1:8080/v1)')
    .option('--admin-key-file <file>', 'where the admin key is (default: in OPENAI_ADMIN_KEY)')

export const asJson = (command: Command): Command => onServer(command).option('--json', 'for programs')

export const asksFirst = (command: Command): Command => onServer(command).option('--yes', 'do not ask')

export const collect = (value: string, before: string[]): string[] => [...before, value]
