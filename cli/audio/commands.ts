import type { Command } from 'commander'

export function addAudio(program: Command): void {
  program
    .command('say')
    .description('have a text spoken by a running server, into a sound file')
    .argument('<text>', 'what is said; - reads it from standard input')
    .option(
      '-o, --output <file>',
      'where it goes; the ending tells the format: mp3, opus, flac, wav, pcm',
      'speech.mp3',
    )
    .option('--voice <name>', 'alloy, ash, ballad, coral, echo, fable, onyx, nova, sage, shimmer or verse', 'alloy')
    .option('--speed <number>', 'from 0.25 to 4', '1')
    .option('--model <id>', 'what speaks', 'tts-1')
    .option('--url <address>', 'the server (default OPENAI_BASE_URL, else the one of this machine)')
    .action(async (text: string, flags) => (await import('./say.ts')).say(text, flags))
  program
    .command('transcribe')
    .description('have a sound file written down by a running server')
    .argument('<file>', 'wav, mp3, flac, ogg or webm, up to 25 MB')
    .option('--format <name>', 'text, srt, vtt, json or verbose_json', 'text')
    .option('--language <code>', 'what is spoken, such as en')
    .option('--translate', 'write it down in English', false)
    .option('--model <id>', 'what listens', 'whisper-1')
    .option('--url <address>', 'the server (default OPENAI_BASE_URL, else the one of this machine)')
    .action(async (file: string, flags) => (await import('./transcribe.ts')).transcribe(file, flags))
}
