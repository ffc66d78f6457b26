// `./atoll blobs …` on the command line.
import type { Command } from 'commander'
import { commandGroup } from '../command-group.ts'

export function addBlobs(program: Command): void {
  commandGroup(program, 'blobs', 'look after the bytes of files')
    .command('move')
    .description('move all blobs from blobs.also to where they lie from now on, while Atoll serves')
    .option('--data <folder>', 'where everything is kept (default ~/.local/share/atoll)')
    .option('--config <file>', 'read settings from a YAML or JSON file')
    .option('--database <url>', 'a PostgreSQL address (default: embedded SQLite in the data folder)')
    .addHelpText('after', help)
    .action(async (flags) => (await import('./move.ts')).move(flags))
}

const help = `
1. Name the new place in the configuration, and the old one in blobs.also; start with it. From then on new blobs are
   written to the new place, and found in both. With several nodes, start each once with the old place and the new one in
   blobs.also before: then every node finds what any of them writes.
2. ./atoll blobs move. Killed half-way, or after a failure, give it again.
3. When it has left nothing, take blobs.also out of the configuration.

Example of the configuration, from the data folder to a bucket:
  blobs:
    s3: {bucket: atoll, endpoint: https://s3.example.com}
    also: {}`
