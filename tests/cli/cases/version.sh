t version --short | sed -E 's/[0-9]+\.[0-9]+\.[0-9]+/VERSION/'
"$MBSIM" --version | sed -E 's/^mbsim .*/mbsim VERSION/; s/^(compiler|features): .*/\1/'
