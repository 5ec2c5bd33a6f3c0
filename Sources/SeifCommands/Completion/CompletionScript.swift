internal import SeifCommandLine

/// The scripts that ask ``Completions`` from within a shell.
///
/// What comes back is data: it is never evaluated, expanded or split, only compared, quoted and offered.
enum CompletionScript: String, CaseIterable {
  case bash, zsh, fish

  var text: String {
    switch self {
    case .bash: Self.bashText
    case .zsh: Self.zshText
    case .fish: Self.fishText
    }
  }

  /// bash splits the line at colons and brackets too, and gives words with their quotes. So the line is read here, and of
  /// each candidate only what follows the part that bash keeps is given back, quoted as the word was begun.
  private static let bashText = #"""
    # Completion of seif for bash. Printed by: seif completion bash
    _seif() {
      local line=${COMP_LINE:0:COMP_POINT} word='' quote='' raw='' started='' char i
      local -a words=()
      for ((i = 0; i < ${#line}; i++)); do
        char=${line:i:1}
        if [[ -z $quote && $char == [[:space:]] ]]; then
          [[ -n $started ]] && words+=("$word")
          word='' raw='' started=''
          continue
        fi
        started=1 raw+=$char
        case $quote$char in
          "'"|'"') quote=$char ;;
          "''"|'""') quote='' ;;
          '\'|'"\')
            ((++i < ${#line})) || break
            raw+=${line:i:1}
            [[ -n $quote && ${line:i:1} != [\"\\\$\`] ]] && word+=$char
            word+=${line:i:1}
            ;;
          *) word+=$char ;;
        esac
      done
      # What bash keeps of the word, and how much of a name that is.
      local last=${COMP_WORDS[COMP_CWORD]} kept=0
      if [[ -z $quote && -n $last && $last != "$raw" && $raw == *"$last" ]]; then
        local before=${raw%"$last"}
        before=${before//\\/}
        kept=${#before}
      elif [[ -z $last || ( $last == [:=] && $raw == *"$last" ) ]]; then
        kept=${#word}
      fi
      local kind='' candidate
      COMPREPLY=()
      while IFS= read -r candidate; do
        if [[ -z $kind ]]; then
          kind=$candidate
          continue
        fi
        candidate=${candidate%%$'\t'*}
        [[ $candidate == "$word"* ]] || continue
        candidate=${candidate:kept}
        case $quote in
          "'") candidate=${candidate//"'"/"'\\''"} ;;
          '"')
            # Between these quotes nothing keeps bash from taking it for its history.
            [[ $candidate == *'!'* ]] && continue
            candidate=${candidate//\\/\\\\} candidate=${candidate//\"/\\\"}
            candidate=${candidate//\$/\\\$} candidate=${candidate//\`/\\\`}
            ;;
          *) printf -v candidate %q "$candidate" ;;
        esac
        COMPREPLY+=("$candidate")
      done < <(command seif complete-words "${words[@]:1}" "$word" 2>/dev/null)
      case $kind in
        files) compopt -o default ;;
        folders) compopt -o dirnames ;;
      esac
    }
    complete -F _seif seif

    """#

  private static let zshText = #"""
    #compdef seif
    # Completion of seif for zsh. Printed by: seif completion zsh
    _seif() {
      local -a before lines names shown
      local line
      before=("${(@Q)words[2,CURRENT-1]}")
      (( CURRENT > 2 )) || before=()
      lines=("${(@f)$(command seif complete-words "${before[@]}" "${(Q)PREFIX}" 2>/dev/null)}")
      case $lines[1] in
        files) _files ;;
        folders) _files -/ ;;
        words)
          for line in "${(@)lines[2,-1]}"; do
            [[ -n $line ]] || continue
            names+=("${line%%$'\t'*}")
            shown+=("${line/$'\t'/  }")
          done
          (( $#names )) && compadd -d shown -a -- names
          ;;
      esac
    }
    if [[ $funcstack[1] == _seif ]]; then
      _seif "$@"
    else
      compdef _seif seif
    fi

    """#

  private static let fishText = #"""
    # Completion of seif for fish. Printed by: seif completion fish
    function __seif_complete
      set -l words (commandline -opc)
      set -e words[1]
      # fish compares what it offers with what is typed; only an option has to be told from an argument.
      set -l typed ''
      string match -q -- '-*' (commandline -ct); and set typed -
      set -l lines (command seif complete-words $words $typed 2>/dev/null)
      switch "$lines[1]"
        case files
          __fish_complete_path (commandline -ct)
        case folders
          __fish_complete_directories (commandline -ct)
        case words
          set -e lines[1]
          for line in $lines
            printf '%s\n' $line
          end
      end
    end
    complete -c seif -e
    complete -c seif -f -a '(__seif_complete)'

    """#
}
