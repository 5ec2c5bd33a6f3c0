// Types only: the library is loaded when a file with more than one lane is opened (no `link`).
#pragma once
#include <argon2.h>
