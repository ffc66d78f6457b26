import { describe, expect, it } from 'vitest'
import { readDockerfile, readInstruction } from './read-dockerfile.ts'

const only = (text: string) => readDockerfile(`FROM scratch\n${text}`).stages[0]!.instructions[0]!
const message = (text: string): string => {
  try {
    readDockerfile(text)
  } catch (error) {
    return (error as Error).message
  }
  return 'nothing is wrong'
}
const wrong = (text: string): string => message(`FROM scratch\n${text}`)

describe('a Dockerfile', () => {
  it('has stages with names, platforms, and arguments before them', () => {
    const { globalArgs, stages } = readDockerfile(
      [
        'ARG BASE=alpine:3 OTHER',
        'from --platform=$BUILDPLATFORM ${BASE} as Build',
        'RUN make',
        'FROM scratch',
        'COPY --from=build /a /b',
      ].join('\n'),
    )
    expect(globalArgs[0]?.args).toEqual([
      { key: 'BASE', value: 'alpine:3' },
      { key: 'OTHER', value: undefined },
    ])
    expect(stages).toMatchObject([
      { base: '${BASE}', name: 'build', platform: '$BUILDPLATFORM', instructions: [{ kind: 'RUN' }] },
      { base: 'scratch', name: '', platform: '', instructions: [{ kind: 'COPY', from: 'build' }] },
    ])
  })

  it('goes on after an escape, past comments and empty lines', () => {
    const run = only('RUN one \\\n  # not this\n\n  two \\  \n# nor this\n&& three')
    expect(run).toMatchObject({ text: 'RUN one   two && three', place: { line: 2 }, endLine: 7 })
    expect(only('RUN a\\\\\nUSER b').text).toBe('RUN a\\\\')
  })

  it('may have another escape character, and begin with a byte order mark and Windows lines', () => {
    const text = '\uFEFF# escape=`\r\n# syntax=docker/dockerfile:1\r\nFROM scratch\r\nCOPY a `\r\n c:\\\r\n'
    const { directives, stages } = readDockerfile(text)
    expect(directives).toEqual({ escapedBy: '`', syntax: 'docker/dockerfile:1' })
    expect(stages[0]?.instructions[0]).toMatchObject({ sources: [{ path: 'a' }], destination: 'c:\\' })
  })

  it('has directives only in its first lines', () => {
    const { directives } = readDockerfile('# a comment\n# escape=`\nFROM scratch\nRUN a \\\nb')
    expect(directives).toEqual({ escapedBy: '\\' })
    expect(message('# escape=`\n# ESCAPE = `\nFROM a')).toBe(
      'dockerfile parse error on line 2: only one escape parser directive can be used',
    )
    expect(message('# escape=x\nFROM a')).toContain("invalid escape token 'x'")
  })
})

describe('instructions', () => {
  it('are commands for a shell, or programs with arguments', () => {
    expect(only('RUN ["a", "b c"]')).toMatchObject({ command: { exec: ['a', 'b c'] } })
    expect(only("RUN ['a']")).toMatchObject({ command: { shell: "['a']" } })
    expect(only('CMD echo "x"  y')).toMatchObject({ kind: 'CMD', command: { shell: 'echo "x"  y' } })
    expect(only('ENTRYPOINT []')).toMatchObject({ kind: 'ENTRYPOINT', command: { exec: [] } })
    expect(only('SHELL ["/bin/bash", "-c"]')).toMatchObject({ kind: 'SHELL', values: ['/bin/bash', '-c'] })
  })

  it('have pairs in both forms', () => {
    const pairs = [
      { key: 'a', value: 'b' },
      { key: 'c', value: '"d e"' },
      { key: 'f', value: 'g\\ h' },
    ]
    expect(only('ENV a=b c="d e" f=g\\ h')).toMatchObject({ kind: 'ENV', pairs })
    expect(only('ENV a b  c=d')).toMatchObject({ pairs: [{ key: 'a', value: 'b  c=d' }] })
    expect(only("LABEL 'a b'=c")).toMatchObject({ kind: 'LABEL', pairs: [{ key: "'a b'", value: 'c' }] })
    expect(only('ARG a b= c=1')).toMatchObject({
      args: [
        { key: 'a', value: undefined },
        { key: 'b', value: '' },
        { key: 'c', value: '1' },
      ],
    })
  })

  it('take flags, in quotes where they need them', () => {
    expect(
      only('COPY --from=x --chown=1:2 --chmod=755 --link --parents --exclude=*.md --exclude="a b" one two/ /to/'),
    ).toMatchObject({
      ...{ kind: 'COPY', from: 'x', chown: '1:2', chmod: '755', isLinked: true, keepsParents: true },
      excludes: ['*.md', 'a b'],
      sources: [{ path: 'one' }, { path: 'two/' }],
      destination: '/to/',
    })
    expect(only('ADD --checksum=sha256:ab --keep-git-dir=true --unpack=false ["a b", "/c"]')).toMatchObject({
      ...{ kind: 'ADD', checksum: 'sha256:ab', keepsGitDir: true, unpacks: false, destination: '/c' },
      sources: [{ path: 'a b' }],
    })
    expect(only('HEALTHCHECK --interval=1m30s --timeout=1.5s --retries=3 CMD ["a"]')).toMatchObject({
      ...{ test: ['CMD', 'a'], interval: 90e9, timeout: 1.5e9, startPeriod: 0, retries: 3 },
    })
    expect(only('HEALTHCHECK NONE')).toMatchObject({ test: ['NONE'] })
    expect(only('HEALTHCHECK CMD curl -f x')).toMatchObject({ test: ['CMD-SHELL', 'curl -f x'] })
  })

  it('mount what a step needs', () => {
    const run = only(
      'RUN --mount=type=cache,dst=/c,sharing=locked,id=x --mount=target=/b,src=s,rw --mount=type=secret,id=k,required,env=K --network=none go',
    )
    expect(run).toMatchObject({
      kind: 'RUN',
      network: 'none',
      mounts: [
        {
          type: 'cache',
          options: new Map([
            ['target', '/c'],
            ['sharing', 'locked'],
            ['id', 'x'],
          ]),
        },
        { type: 'bind', options: new Map(Object.entries({ target: '/b', source: 's', readwrite: 'true' })) },
        { type: 'secret', options: new Map(Object.entries({ id: 'k', required: 'true', env: 'K' })) },
      ],
    })
  })

  it('keep triggers as they were written, here-documents too', () => {
    expect(only('ONBUILD RUN  a b')).toMatchObject({ kind: 'ONBUILD', trigger: 'RUN  a b' })
    const trigger = only('ONBUILD COPY <<E /x\none\nE')
    expect(trigger).toMatchObject({ trigger: 'COPY <<E /x\none\nE' })
    expect(readInstruction('COPY <<E /x\none\nE')).toMatchObject({ sources: [{ heredoc: { content: 'one\n' } }] })
  })
})

describe('here-documents', () => {
  it('follow RUN, COPY and ADD, several one after the other', () => {
    const copy = only('COPY <<one <<-"two" /to/\na $b\none\n\t\tc\n\ttwo\nRUN x')
    expect(copy).toMatchObject({
      sources: [
        { heredoc: { name: 'one', content: 'a $b\n', isExpanded: true } },
        { heredoc: { name: 'two', content: 'c\n', isExpanded: false } },
      ],
      destination: '/to/',
      endLine: 6,
    })
    expect(only('RUN <<EOF\necho 1\n# no comment\nEOF')).toMatchObject({
      command: { shell: '<<EOF', heredocs: [{ name: 'EOF', content: 'echo 1\n# no comment\n' }] },
    })
    expect(only('RUN cat << EOF > /x\n1\nEOF')).toMatchObject({
      command: { heredocs: [{ name: 'EOF', content: '1\n' }] },
    })
    expect(only('RUN 3<<EOF cat\r\n1\r\nEOF\r\n')).toMatchObject({ command: { heredocs: [{ content: '1\r\n' }] } })
  })

  it('do not follow what only looks like one', () => {
    expect(only('RUN ["cat", "<<EOF"]')).toMatchObject({ command: { exec: ['cat', '<<EOF'] } })
    expect(only('RUN echo "a <<EOF b" && echo $((1<<2))')).toMatchObject({ kind: 'RUN' })
    expect(only('RUN cat <<<EOF')).toMatchObject({ command: { heredocs: [] } })
    expect(only('CMD cat <<EOF')).toMatchObject({ command: { heredocs: [] } })
    expect(only("RUN echo it's")).toMatchObject({ command: { shell: "echo it's" } })
  })

  it('must end', () => {
    expect(wrong('RUN <<EOF\nnever')).toBe(
      'dockerfile parse error on line 2: unterminated heredoc: there is no line EOF',
    )
  })
})

describe('what is wrong', () => {
  it.each([
    ['FOO bar', 'on line 2: unknown instruction: FOO'],
    ['RUN a \\\n b\nFOO', 'on line 4: unknown instruction: FOO'],
    ['RUN', 'RUN requires at least one argument'],
    ['COPY a', 'COPY requires at least two arguments'],
    ['COPY --chmod a b', 'on line 2, column 6: missing a value on flag: --chmod'],
    ['COPY --link=maybe a b', 'expecting boolean value for flag --link, not: maybe'],
    ['COPY --from=a --from=b c d', 'on line 2, column 15: duplicate flag specified: --from'],
    ['COPY \\\n  --nope a b', 'on line 3, column 3: unknown flag: --nope'],
    ['COPY --from=$x a b', 'variable expansion is not supported for --from'],
    ['COPY a <<E\nE', 'COPY cannot accept a heredoc as a destination'],
    ['RUN --mount=type=disk,target=/a b', 'unsupported mount type "disk"'],
    ['RUN --mount=target=/a,color=red b', "unexpected key 'color' in 'color=red'"],
    ['RUN --mount=type=tmpfs,target=/a,size=lots b', 'invalid value lots for size'],
    ['RUN --mount=target=/a,mode=755 b', "unexpected key 'mode' for mount type 'bind'"],
    ['RUN --mount=type=secret b', 'one of source, target required'],
    ['RUN --network=some b', 'invalid value "some" for --network'],
    ['ENV a', 'ENV must have two arguments'],
    ['ENV a=b c', `can't find = in "c"`],
    ['ENV a=${b', "missing '}'"],
    ['ENV a=${b:!c}', 'unsupported modifier (:!) in substitution'],
    ['ENV x=y a=${}', 'on line 2, column 13: syntax error: bad substitution'],
    ['ENV a="b', 'looking for matching double-quote'],
    ['LABEL =x', 'LABEL names can not be blank'],
    ['SHELL bash', 'SHELL requires the arguments to be in JSON form'],
    ['CMD ["a", 1]', 'arrays must be comprised of strings only'],
    ['ONBUILD ONBUILD RUN a', "Chaining ONBUILD via `ONBUILD ONBUILD` isn't allowed"],
    ['ONBUILD FROM a', "FROM isn't allowed as an ONBUILD trigger"],
    ['ONBUILD NOPE a', 'unknown instruction: NOPE'],
    ['HEALTHCHECK TRY a', 'Unknown type "TRY" in HEALTHCHECK'],
    ['HEALTHCHECK --interval=1 CMD a', 'invalid duration "1"'],
    ['HEALTHCHECK --interval=1us CMD a', 'cannot be less than 1ms'],
    ['HEALTHCHECK --retries=-1 CMD a', '--retries cannot be negative'],
    ['FROM a b', 'FROM requires either one or three arguments'],
    ['FROM a AS 1b', "name can't start with a number"],
    ['VOLUME [""]', 'VOLUME specified can not be an empty string'],
  ])('is told with its line: %j', (text, words) => {
    expect(wrong(text)).toContain(words)
    expect(wrong(text)).toMatch(/^dockerfile parse error on line \d+(, column \d+)?: /)
  })

  it('is told of whole files', () => {
    expect(message('')).toBe('dockerfile parse error on line 1: file with no instructions')
    expect(message('# only\n\n# comments')).toContain('file with no instructions')
    expect(message('RUN a')).toContain('no build stage in current context')
    expect(message('ARG a')).toContain('no build stage')
  })
})
