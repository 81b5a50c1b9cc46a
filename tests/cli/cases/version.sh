t version --short | sed -E 's/[0-9]+\.[0-9]+\.[0-9]+/VERSION/'
"$MBSIM" --version | sed -E 's/^mbsim .*/mbsim VERSION/; s/^(compiler: .*(gcc|[Cc]lang)) .*/\1/; s/^compiler: .*[Cc]lang/compiler: gcc/; s/^features: .*/features/; s/^(cuda|devices): .*/\1/'
